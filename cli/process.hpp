#pragma once

#include "cli/config/documents.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"
#include "libs/base/time.hpp"
#include "libs/http/server.hpp"

#include <exception>
#include <functional>

namespace baton::cli {

// Awaits `part` and returns even if it throws; `failure` then holds the exception. Asio's || waits for the first part
// that *succeeds*, so without this a process would outlive its only part.
awaitable<void> kept(awaitable<void> part, std::exception_ptr& failure);

// Runs both parts of a process until one ends, cancels the other, and throws the failure of the one that ended first.
awaitable<void> until_one_ends(awaitable<void> part, awaitable<void> other);

// How many connections a process that may open so many files accepts, and how many it opens itself. Some files are left
// for the database, the log and others.
struct connection_bounds {
    std::size_t incoming = 0;
    std::size_t outgoing = 0;
    std::size_t of_a_peer = 0; // of the incoming ones: a quarter, so that no single host takes all of them
};
connection_bounds bounds_of(std::size_t files);

// For a listener of this process, with the connections that its limit of open files allows.
http::server_settings listener_of(listen_config const& listen);

// Runs `work` on `loop` until it ends, and calls `stop` at the first SIGTERM or SIGINT. A second signal ends the
// process at once. The process ends with status 70 if the work runs longer than `grace` after the first signal.
// Rethrows the exception of the work.
void run_until_stopped(measured_loop& loop, awaitable<void> work, std::function<void()> stop, duration grace);

} // namespace baton::cli
