#include "libs/base/timer.hpp"

#include <boost/asio/redirect_error.hpp>

namespace baton {

awaitable<void> wait_on(asio::steady_timer& timer)
{
    co_await wait_quietly_on(timer);
    co_await throw_if_cancelled();
}

awaitable<void> wait_quietly_on(asio::steady_timer& timer)
{
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

awaitable<void> throw_if_cancelled()
{
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace baton
