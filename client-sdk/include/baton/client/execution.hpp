#pragma once
// The execution that a handler runs.

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace baton::client {

struct job;

// An earlier execution of the same task.
struct past_execution {
    std::int64_t id = 0;
    std::chrono::sys_time<std::chrono::microseconds> scheduled_at{};
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> ended_at{}; // none: it has not ended
    std::string state{}; // "succeeded", "failed", "timed_out", "cancelled", "retrying", "running", "planned",
                         // "waiting", "stopping"
};

// One attempt of one execution. It lives as long as the handler's call; until then every member may be called from any
// thread.
class execution {
public:
    explicit execution(std::shared_ptr<job> work);

    // The same for every attempt of this execution: a key for effects that must happen once over all attempts.
    std::int64_t id() const;
    int attempt() const; // from 1
    // "id/attempt": names this delivery, for logs and for calls that may be made once per attempt.
    std::string idempotency_key() const;

    // The term of mastership under which this attempt was sent: (namespace_id, epoch) is a fencing token. The epoch
    // never falls from one attempt of an execution to the next. A resource that refuses epochs below the highest it has
    // seen in the same namespace is therefore safe from late writes of an attempt that was given up when another master
    // took over.
    std::int64_t epoch() const;
    std::int64_t namespace_id() const; // of the master; 1 unless the database has several

    std::int64_t task_id() const;
    std::string const& task() const;       // the task's name
    std::string const& handler() const;    // the name of the handler
    nlohmann::json const& payload() const; // parsed at the first call

    // The instant at which it was due; may be in the past.
    std::chrono::sys_time<std::chrono::microseconds> scheduled_at() const;

    // The execution of the task before this one, by scheduled time, and the latest one before this one that succeeded;
    // as they stood shortly before this attempt was sent. Empty if there is none, and unless the task's definition has
    // "context": ["previous", "last_success"].
    std::optional<past_execution> previous() const;
    std::optional<past_execution> last_success() const;

    // Which of the `shard_total` shards of a broadcast this is, from 0: one for each client, or a fixed number. 0 of 1
    // for any other execution.
    int shard_index() const;
    int shard_total() const;

    // True once the execution is cancelled, has exceeded its timeout, or the grace of the stopping service is nearly
    // over. A handler that then returns anything but success counts as cancelled, timed out or interrupted,
    // respectively; an interrupted execution goes out again, to another client, and uses up no attempt of its task. A
    // handler that ignores it keeps its slot until it returns. Callbacks on the token run on the SDK's own thread, so
    // they must be quick.
    bool stop_requested() const;
    std::stop_token stop_token() const;

    // Percent, shown to people while it runs: 0 to 100 (clamped). Cheap: it is sent at most once a second.
    void progress(int percent);

private:
    std::shared_ptr<job> work_;
};

} // namespace baton::client
