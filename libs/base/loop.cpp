#include "libs/base/loop.hpp"

#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace baton {

namespace {

// Asio wraps what a branch of && threw, once for each further &&.
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

// A cancelled channel says so in words of its own; everybody else knows cancellation as operation_aborted.
[[noreturn]] void rethrow_plainly(std::exception_ptr const& failure)
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

waker::waker(asio::any_io_executor loop) : bell_(std::move(loop), 1) {}

void waker::wake()
{
    rung_ = true;
    bell_.try_send(error_code{});
}

awaitable<bool> waker::wait_until(time_source& time, instant at)
{
    using namespace asio::experimental::awaitable_operators;
    std::exception_ptr failure;
    try {
        if (rung_)
            co_await asio::post(asio::use_awaitable); // whoever rings for himself lets others come between
        else
            co_await (listen() || time.sleep_until(at));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure)
        rethrow_plainly(failure);
    co_return std::exchange(rung_, false);
}

awaitable<void> waker::wait()
{
    std::exception_ptr failure;
    try {
        if (rung_)
            co_await asio::post(asio::use_awaitable);
        else
            co_await listen();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure)
        rethrow_plainly(failure);
    rung_ = false;
}

// The channel only wakes; what it holds may be of a ring that was heard already.
awaitable<void> waker::listen()
{
    while (!rung_)
        co_await bell_.async_receive(asio::use_awaitable);
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
    std::exception_ptr failure;
    try {
        co_await std::move(part);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure)
        co_return;
    if (auto const why = failure_text(failure))
        log::old::error("{} ended: {}", name, *why);
}

} // namespace baton
