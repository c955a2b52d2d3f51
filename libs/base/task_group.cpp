#include "libs/base/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

namespace baton {

task_group::task_group(asio::any_io_executor loop) : loop_(loop), ended_(loop) {}

void task_group::spawn(char const* name, awaitable<void> work)
{
    if (cancelled_)
        return;
    auto const place = signals_.insert(signals_.end(), std::make_shared<asio::cancellation_signal>());
    ++running_;
    auto const done = [this, place](std::exception_ptr) {
        signals_.erase(place);
        --running_;
        ended_.wake();
    };
    asio::co_spawn(loop_, supervised(name, std::move(work)), asio::bind_cancellation_slot((*place)->slot(), done));
}

void task_group::cancel()
{
    cancelled_ = true;
    // Emitting may end a coroutine at once, which erases its signal, so iterate over a copy.
    auto const signals = signals_;
    for (auto const& signal : signals)
        signal->emit(asio::cancellation_type::terminal);
}

awaitable<void> task_group::around(awaitable<void> body)
{
    cancelled_ = false;
    std::exception_ptr ended;
    try {
        co_await std::move(body);
    } catch (...) {
        ended = std::current_exception();
    }
    // This must be the first await: in a cancelled coroutine any other would throw at once.
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    cancel();
    while (running_ != 0)
        co_await ended_.wait();
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    if (ended)
        std::rethrow_exception(ended);
}

} // namespace baton
