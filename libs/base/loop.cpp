#include "libs/base/loop.hpp"

#include "libs/base/loop_meter.hpp"

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

// Turns the channel's own error for cancellation into operation_aborted, which all other code expects.
[[noreturn]] void rethrow_as_aborted(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(cause_of(failure));
    } catch (boost::system::system_error const& thrown) {
        if (thrown.code() == asio::experimental::error::channel_cancelled)
            throw boost::system::system_error(asio::error::operation_aborted);
        throw;
    }
}

} // namespace

waker::waker(asio::any_io_executor loop) : channel_(std::move(loop), 1) {}

void waker::wake()
{
    woken_ = true;
    channel_.try_send(error_code{});
}

awaitable<bool> waker::wait_until(time_source& time, instant at)
{
    using namespace asio::experimental::awaitable_operators;
    kept_part const part;
    std::exception_ptr failure;
    try {
        if (woken_)
            co_await asio::post(asio::use_awaitable); // a coroutine that wakes itself must let others run
        else
            co_await (receive() || time.sleep_until(at));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure)
        rethrow_as_aborted(failure);
    co_return std::exchange(woken_, false);
}

awaitable<void> waker::wait()
{
    kept_part const part;
    std::exception_ptr failure;
    try {
        if (woken_)
            co_await asio::post(asio::use_awaitable);
        else
            co_await receive();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure)
        rethrow_as_aborted(failure);
    woken_ = false;
}

// The channel may still hold the message of a wake() that a wait has consumed already, so `woken_` decides.
awaitable<void> waker::receive()
{
    while (!woken_)
        co_await channel_.async_receive(asio::use_awaitable);
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
