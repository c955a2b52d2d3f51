#pragma once
// Waiting for an Asio timer that another coroutine of the loop may cancel, without an exception for that. On the loop
// only.

#include "libs/base/asio.hpp"

#include <boost/asio/steady_timer.hpp>

namespace baton {

// Until `timer` expires or is cancelled. Ends with operation_aborted when this coroutine is cancelled.
awaitable<void> wait_on(asio::steady_timer& timer);

// The same, but it returns when this coroutine is cancelled. Follow it with throw_if_cancelled().
awaitable<void> wait_quietly_on(asio::steady_timer& timer);

// Ends with operation_aborted if this coroutine is cancelled.
awaitable<void> throw_if_cancelled();

} // namespace baton
