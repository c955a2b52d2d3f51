#include "cli/process.hpp"

#include "cli/config/duration.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

awaitable<void> with_signals(awaitable<void> work, std::function<void()> on_first, std::exception_ptr& failure)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (kept(std::move(work), failure) || stop_signals(std::move(on_first)));
}

} // namespace

awaitable<void> kept(awaitable<void> part, std::exception_ptr& failure)
{
    try {
        co_await std::move(part);
    } catch (...) {
        failure = std::current_exception();
    }
}

awaitable<void> until_one_ends(awaitable<void> part, awaitable<void> other)
{
    using namespace asio::experimental::awaitable_operators;
    std::exception_ptr failure_of_part;
    std::exception_ptr failure_of_other;
    auto const first = co_await (kept(std::move(part), failure_of_part) || kept(std::move(other), failure_of_other));
    // The other one was cancelled, and may have failed with that.
    auto const failure = first.index() == 0 ? failure_of_part : failure_of_other;
    if (failure)
        std::rethrow_exception(failure);
}

connection_bounds bounds_of(std::size_t files)
{
    auto const others = std::min<std::size_t>(files / 4, 256);
    auto const half = std::max<std::size_t>((files - others) / 2, 16);
    return {half, half, std::max<std::size_t>(half / 4, 16)};
}

http::server_settings listener_of(listen_config const& listen)
{
    auto const bounds = bounds_of(file_limit());
    http::server_settings settings;
    settings.address = listen.address;
    settings.port = listen.port;
    settings.connection_limit = bounds.incoming;
    settings.peer_limit = listen.peer_connections == 0 ? bounds.of_a_peer : listen.peer_connections;
    return settings;
}

void run_until_stopped(measured_loop& loop, awaitable<void> work, std::function<void()> stop, duration grace)
{
    deadman last_resort;
    auto on_first = [&last_resort, grace, stop = std::move(stop)] {
        last_resort.arm(grace, "it did not drain within " + format_duration(grace));
        stop();
    };
    std::exception_ptr failure;
    asio::co_spawn(loop.executor(), with_signals(std::move(work), std::move(on_first), failure), asio::detached);
    loop.run();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace baton::cli
