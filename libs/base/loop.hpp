#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/time.hpp"

#include <boost/asio/experimental/channel.hpp>

#include <exception>
#include <optional>
#include <string>

namespace baton {

// A bell for one waiting coroutine: rings made while nobody waits are remembered as one. On the loop only.
class waker {
public:
    explicit waker(asio::any_io_executor loop);

    void wake();

    // Returns when rung or at `at`, whichever is first; true when rung.
    awaitable<bool> wait_until(time_source& time, instant at);
    awaitable<void> wait();

private:
    awaitable<void> listen();

    asio::experimental::channel<void(error_code)> bell_;
    bool rung_ = false; // a channel whose receiver was cancelled loses the next message (Boost 1.81)
};

// Awaits `step()` every `period`, from the end of one to the start of the next, until cancelled. A dependency that is
// down costs a round, not the loop; any other exception ends it.
template <class Step>
awaitable<void> every(time_source& time, duration period, Step step)
{
    for (;;) {
        try {
            co_await step();
        } catch (unavailable const& reason) {
            log::old::warn("{}", reason.what());
        }
        co_await time.sleep_for(period);
    }
}

// What a part failed of, in words for people; nothing when it was cancelled.
std::optional<std::string> failure_text(std::exception_ptr failure);

// Waits for one of several coroutines of a scope to end and stops the others; a failure ends the scope like a return,
// after it was logged with `name`. (Asio's || waits for the first *success*, which would let a scope outlive a part
// that failed.)
awaitable<void> supervised(char const* name, awaitable<void> part);

} // namespace baton
