#include "libs/base/loop.hpp"

namespace baton {

waker::waker(asio::any_io_executor loop) : bell_(std::move(loop), 1) {}

void waker::wake()
{
    bell_.try_send(error_code{});
}

awaitable<bool> waker::wait_until(time_source& time, instant at)
{
    using namespace asio::experimental::awaitable_operators;
    auto const first = co_await (bell_.async_receive(asio::use_awaitable) || time.sleep_until(at));
    co_return first.index() == 0;
}

awaitable<void> waker::wait()
{
    co_await bell_.async_receive(asio::use_awaitable);
}

awaitable<void> supervised(char const* name, awaitable<void> part)
{
    try {
        co_await std::move(part);
    } catch (boost::system::system_error const& failure) {
        if (failure.code() != asio::error::operation_aborted)
            log::error("{} ended: {}", name, failure.what());
    } catch (std::exception const& failure) {
        log::error("{} ended: {}", name, failure.what());
    }
}

} // namespace baton
