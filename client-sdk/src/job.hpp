#pragma once
// One accepted execution, shared by the loop and whoever runs its handler.

#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

namespace baton::client {

struct job {
    explicit job(protocol::dispatch what) : work(std::move(what)) {}

    // Written only before the job starts.
    protocol::dispatch work;
    std::int64_t epoch = 0; // of the message that brought it

    std::stop_source stop;
    std::atomic<int> progress{0};
};

// Both clocks at one moment: spans are measured with the first, people are shown the second.
struct reading {
    instant at;
    utc_time utc;
};

inline reading read(time_source const& time)
{
    return {time.now(), time.utc()};
}

// What became of a handler's call.
struct outcome {
    bool succeeded = false;
    nlohmann::json value;
    std::string error;
    reading ended{};       // when the handler returned
    std::size_t bytes = 0; // of `value` and `error` as JSON text
};

inline constexpr std::size_t value_limit = 64u << 10;
inline constexpr std::size_t error_limit = 16u << 10;

// Makes an outcome fit to be sent: valid UTF-8 and within the limits; fills `bytes`.
void normalise(outcome& what);

// Runs handlers: real with threads (worker_pool), simulated in virtual time. `start` is called on the loop for at most
// `slots` jobs at a time and returns at once; `done` is called on the loop when the handler has returned, never from
// within `start`, with a normalised outcome.
class executor {
public:
    virtual ~executor() = default;
    virtual void start(std::shared_ptr<job> work, std::function<void(outcome)> done) = 0;
};

} // namespace baton::client
