#include "cli/process.hpp"

#include "cli/config/duration.hpp"

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

void run_until_stopped(asio::io_context& loop, awaitable<void> work, std::function<void()> stop, duration grace)
{
    deadman last_resort;
    auto on_first = [&last_resort, grace, stop = std::move(stop)] {
        last_resort.arm(grace, "it did not drain within " + format_duration(grace));
        stop();
    };
    std::exception_ptr failure;
    asio::co_spawn(loop, with_signals(std::move(work), std::move(on_first), failure), asio::detached);
    loop.run();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace baton::cli
