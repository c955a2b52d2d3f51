#pragma once
// Measures the steps of event loops. A step is what a loop runs at a stretch: a coroutine from one suspension to the
// next. While it lasts, nothing else on that loop can run.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace baton {

// The longest step in a period. `cpu` is processor time of the loop's thread, and `part` was running in that step;
// `wall` is the longest wall-clock time, which counts waits for a processor and blocking calls too.
struct loop_step {
    duration cpu{};
    duration wall{};
    std::string part;
};

// Keeps the longest step of the last one to two minutes.
class longest_step {
public:
    static constexpr duration span = 60s;

    void note(instant now, duration cpu, duration wall, std::string_view part);
    loop_step read(instant now);

private:
    void rotate(instant now);

    std::array<loop_step, 2> minutes_; // the present minute and the one before
    instant since_{};                  // of the present minute
};

// An event loop that measures its steps and logs those that take over 100 ms: as a warning if they took so much
// processor time, otherwise at info level.
class measured_loop {
public:
    explicit measured_loop(std::string name); // "work"
    ~measured_loop();
    measured_loop(measured_loop const&) = delete;
    measured_loop& operator=(measured_loop const&) = delete;

    asio::io_context& context();
    asio::any_io_executor executor();

    // Like io_context::run().
    void run();

    std::string const& name() const;
    loop_step longest() const; // any thread

private:
    struct state;
    std::unique_ptr<state> state_;
};

// A measured loop with a thread of its own.
class measured_thread {
public:
    explicit measured_thread(std::string name);
    ~measured_thread(); // calls end()
    measured_thread(measured_thread const&) = delete;
    measured_thread& operator=(measured_thread const&) = delete;

    measured_loop& loop();
    // Stops the loop at once and joins its thread. Its coroutines must have ended before.
    void end();

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Sets the name of the running part of this thread, for the present step. `name` must live as long as the part.
void enter_part(char const* name);

// Keeps the name of the running part while its coroutine is suspended, since other parts run meanwhile. Every function
// that suspends by means of Asio itself, such as a timer or a socket, creates one first.
class kept_part {
public:
    kept_part();
    ~kept_part();
    kept_part(kept_part const&) = delete;
    kept_part& operator=(kept_part const&) = delete;

private:
    char const* name_;
};

// Awaits `part` under this name.
awaitable<void> named(char const* name, awaitable<void> part);

} // namespace baton
