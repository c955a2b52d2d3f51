#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/process.hpp"
#include "libs/base/time.hpp"

#include <exception>
#include <functional>

namespace baton::cli {

// Awaits `part` and returns even if it throws; what it threw is kept in `failure`. Asio's || waits for the first part
// that *succeeds*, so without this a process would outlive its only part.
awaitable<void> kept(awaitable<void> part, std::exception_ptr& failure);

// Runs `work` on `loop` until it ends, and calls `stop` at the first SIGTERM or SIGINT; a second one ends the process
// at once. When the work has not ended `grace` after the first, the process ends with status 70. Rethrows what the work
// threw.
void run_until_stopped(asio::io_context& loop, awaitable<void> work, std::function<void()> stop, duration grace);

} // namespace baton::cli
