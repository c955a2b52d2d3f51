#pragma once
// What a handler sees of the run that it is asked for.

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace baton::client {

struct job;

// One attempt of one execution. Lives as long as the handler's call; all of it may be used from any thread meanwhile.
class execution {
public:
    explicit execution(std::shared_ptr<job> work);

    // The same for every attempt of this execution: what must happen once over all attempts is keyed by it.
    std::int64_t id() const;
    int attempt() const; // from 1
    // "id/attempt": names this delivery, for logs and for calls that may be made once an attempt.
    std::string idempotency_key() const;

    // The mastership under which this attempt was sent. It never falls from one attempt of an execution to the next, so
    // a resource that remembers the highest number that it was shown and refuses lower ones (a fencing token) is safe
    // from the late writes of an attempt that was given up when another master took over.
    std::int64_t epoch() const;

    std::int64_t task_id() const;
    std::string const& task() const;    // the task's name
    std::string const& handler() const; // the name under which this handler was asked for
    nlohmann::json const& payload() const;

    // The instant at which it was due, which may lie in the past.
    std::chrono::sys_time<std::chrono::microseconds> scheduled_at() const;

    // A broadcast runs once on each of `shard_total` clients; otherwise 0 of 1.
    int shard_index() const;
    int shard_total() const;

    // True from the moment at which the execution is cancelled, has outrun its timeout, or the service stops and its
    // grace is nearly over. A handler that then returns anything but success counts as cancelled, timed out or failed
    // respectively; one that ignores it keeps its slot until it returns. Callbacks on the token run on the SDK's own
    // thread, so they must be quick.
    bool stop_requested() const;
    std::stop_token stop_token() const;

    // Shown to people while it runs: 0 to 100 (clamped). Costs nothing: it is read at most once a second.
    void progress(int percent);

private:
    std::shared_ptr<job> work_;
};

} // namespace baton::client
