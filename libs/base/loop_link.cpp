#include "libs/base/loop_link.hpp"

#include "libs/base/loop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <memory>

namespace baton {

namespace {

// The loop `there` uses it until it posts the end.
struct far_run {
    std::function<awaitable<void>()> make; // lives as long as its coroutine, which may be that of a closure
    asio::cancellation_signal cancel;
};

// On the caller's loop.
struct far_end {
    explicit far_end(asio::any_io_executor here) : bell(std::move(here)) {}

    waker bell;
    bool over = false;
    std::exception_ptr failure{};

    awaitable<void> wait()
    {
        while (!over)
            co_await bell.wait();
    }
};

void start(std::shared_ptr<far_run> const& run, loop_ref const& there, std::function<void(std::exception_ptr)> ended)
{
    auto const at_end = [run, there, ended = std::move(ended)](std::exception_ptr failure) {
        there.post([run] {}); // keeps it until the ending frame, which refers to the signal's slot, is gone
        ended(std::move(failure));
    };
    asio::co_spawn(there.executor, run->make(), asio::bind_cancellation_slot(run->cancel.slot(), at_end));
}

} // namespace

loop_ref::loop_ref(asio::any_io_executor loop)
    : executor(loop), post([loop](std::function<void()> function) { asio::post(loop, std::move(function)); })
{}

awaitable<void> run_on(loop_ref there, loop_ref here, std::function<awaitable<void>()> make)
{
    auto const run = std::make_shared<far_run>();
    run->make = std::move(make);
    far_end end(here.executor);
    auto const ended = [&end, here](std::exception_ptr failure) {
        here.post([&end, failure] {
            end.over = true;
            end.failure = failure;
            end.bell.wake();
        });
    };
    there.post([run, there, ended] { start(run, there, ended); });
    std::exception_ptr cancelled;
    try {
        co_await end.wait();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        there.post([run] { run->cancel.emit(asio::cancellation_type::terminal); });
        co_await end.wait();
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        std::rethrow_exception(cancelled);
    }
    if (end.failure)
        std::rethrow_exception(end.failure);
}

} // namespace baton
