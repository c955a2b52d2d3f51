#include "libs/base/loop.hpp"

#include "libs/base/loop_meter.hpp"
#include "libs/base/timer.hpp"

#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace baton {

namespace {

// The exception that a branch of && threw: Asio wraps it once for each &&.
std::exception_ptr cause_of(std::exception_ptr failure)
{
    for (;;) {
        try {
            std::rethrow_exception(failure);
        } catch (asio::multiple_exceptions const& wrapped) {
            failure = wrapped.first_exception();
        } catch (...) {
            return failure;
        }
    }
}

} // namespace

waker::waker(asio::any_io_executor loop) : bell_(std::move(loop)) {}

void waker::wake()
{
    if (!std::exchange(woken_, true))
        bell_.cancel();
}

awaitable<bool> waker::wait_until(time_source& time, instant at)
{
    kept_part const part;
    if (woken_)
        co_await asio::post(asio::use_awaitable); // a coroutine that wakes itself must let others run
    else
        co_await time.wait_until(at, bell_);
    co_return std::exchange(woken_, false);
}

awaitable<void> waker::wait()
{
    kept_part const part;
    if (woken_) {
        co_await asio::post(asio::use_awaitable);
    } else {
        bell_.expires_at(asio::steady_timer::time_point::max());
        co_await wait_on(bell_);
    }
    woken_ = false;
}

std::optional<std::string> failure_text(std::exception_ptr failure)
{
    try {
        std::rethrow_exception(cause_of(std::move(failure)));
    } catch (boost::system::system_error const& thrown) {
        if (thrown.code() == asio::error::operation_aborted)
            return std::nullopt;
        return thrown.what();
    } catch (std::exception const& thrown) {
        return thrown.what();
    }
}

awaitable<void> supervised(char const* name, awaitable<void> part)
{
    enter_part(name);
    std::exception_ptr failure;
    try {
        co_await std::move(part);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure)
        co_return;
    if (auto const why = failure_text(failure))
        log::error("loop", "a part failed and has ended", {log::reason(*why), {"part", name}});
}

} // namespace baton
