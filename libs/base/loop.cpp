#include "libs/base/loop.hpp"

#include "libs/base/loop_meter.hpp"
#include "libs/base/timer.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace baton {

using namespace asio::experimental::awaitable_operators;

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

// Notes the exception of `part` if it is the first one.
awaitable<void> noting(std::exception_ptr& first, awaitable<void> part)
{
    try {
        co_await std::move(part);
    } catch (...) {
        if (!first)
            first = std::current_exception();
        throw;
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

awaitable<void> both(awaitable<void> one, awaitable<void> other)
{
    std::exception_ptr first;
    bool failed = false;
    try {
        co_await (noting(first, std::move(one)) && noting(first, std::move(other)));
    } catch (...) {
        failed = true;
        if (!first)
            first = std::current_exception();
    }
    if (failed)
        std::rethrow_exception(first);
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
