#pragma once
// One accepted execution, shared by the loop and the thread that runs its handler.

#include "baton/client/result.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace baton::client {

struct job {
    explicit job(protocol::dispatch given) : work(std::move(given)) {}

    // Parsed at the first call. Once the job has started, from any thread.
    nlohmann::json const& payload();

    // Written only before the job starts.
    protocol::dispatch work;
    protocol::term_id term; // of the dispatch

    std::stop_source stop;
    std::atomic<int> progress{0};

private:
    std::once_flag parsed_;
    nlohmann::json payload_;
};

// Both clocks at one moment: the first measures spans, the second is shown to people.
struct reading {
    instant at;
    utc_time utc;
};

inline reading read(time_source const& time)
{
    return {time.now(), time.utc()};
}

// The end of a handler's call, fit to be sent.
struct outcome {
    bool succeeded = false;
    protocol::json_text value;
    std::string error;
    std::string error_class{};
    bool final = false;    // failed, by the handler's own word for good
    reading ended{};       // when the handler returned
    std::size_t bytes = 0; // of `value` and `error` as JSON text
};

inline constexpr std::size_t value_limit = 64u << 10; // bytes of JSON text
inline constexpr std::size_t error_limit = 16u << 10; // bytes

// Renders a handler's result as valid UTF-8 within the limits: a longer value is dropped, a longer error is cut.
outcome make_outcome(result const& returned, reading ended);

// Runs handlers: on threads (worker_pool), or simulated in virtual time. The loop calls `start` for at most `slots`
// jobs at a time; it returns at once. When the handler has returned, `done` is called on the loop, never from within
// `start`.
class executor {
public:
    virtual ~executor() = default;
    virtual void start(std::shared_ptr<job> work, std::function<void(outcome)> done) = 0;
};

} // namespace baton::client
