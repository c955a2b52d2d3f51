#pragma once
// Building blocks for coroutines on an event loop. Everything here runs on the loop's thread only.

#include "libs/base/asio.hpp"
#include "libs/base/error.hpp"
#include "libs/base/outage.hpp"
#include "libs/base/time.hpp"

#include <exception>
#include <optional>
#include <string>

namespace baton {

// An auto-reset event for one waiting coroutine. A wake() without a waiting coroutine ends the next wait at once;
// several such calls count as one. A second coroutine that waits ends the wait of the first.
class waker {
public:
    explicit waker(asio::any_io_executor loop);

    void wake();

    // Returns true after wake(), false when `at` comes first. Ends with operation_aborted when cancelled.
    awaitable<bool> wait_until(time_source& time, instant at);
    awaitable<void> wait();

private:
    asio::steady_timer bell_; // cancelled by wake()
    bool woken_ = false;
};

// Awaits `step()` again and again, with a pause of `period` between two calls, until cancelled. `unavailable` is logged
// with `name`, and the next call follows after the pause; any other exception ends the loop.
template <class Step>
awaitable<void> every(char const* name, time_source& time, duration period, Step step)
{
    for (;;) {
        try {
            co_await step();
        } catch (unavailable const& failure) {
            log::outage(failure, "loop", "a periodic step failed, repeating it after its period",
                        {log::reason(failure.what()), {"step", name}, {"period_ms", period.count() / 1'000}});
        }
        co_await time.sleep_for(period);
    }
}

// Awaits both. When one throws, the other is cancelled, and then the exception of the one that failed is thrown.
// (Asio's
// && throws that of its left operand, also if that was only cancelled.)
awaitable<void> both(awaitable<void> one, awaitable<void> other);

// The message of an exception, or nothing if it reports a cancellation.
std::optional<std::string> failure_text(std::exception_ptr failure);

// Awaits `part`. An exception is logged with `name` and then counts as a normal end. Use it for the parts of a scope
// that are joined by ||: Asio's || waits for the first *success*, so that without this a scope would outlive a part
// that failed.
awaitable<void> supervised(char const* name, awaitable<void> part);

} // namespace baton
