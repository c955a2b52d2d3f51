#pragma once

#include "libs/base/asio.hpp"

#include <exception>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace baton {

// An event loop on a thread of its own, for a library whose callers have threads of theirs.
class loop_thread {
public:
    loop_thread();
    ~loop_thread(); // as end()
    loop_thread(loop_thread const&) = delete;
    loop_thread& operator=(loop_thread const&) = delete;

    // Stops the loop at once and joins its thread; let what runs on it end first.
    void end();

    asio::any_io_executor executor();
    // For what refers to the loop and may be destroyed after this: keeps it, but not its thread.
    std::shared_ptr<void> context() const;
    bool is_this_thread() const;

    // Runs `part` on the loop while the caller's thread waits, and returns or throws what it does. Any thread but the
    // loop's.
    template <class Result>
    Result wait(awaitable<Result> part)
    {
        // Shared: the waiting thread may go on, and away, before the loop's has quite left set_value().
        auto const promise = std::make_shared<std::promise<Result>>();
        auto future = promise->get_future();
        if constexpr (std::is_void_v<Result>) {
            asio::co_spawn(executor(), std::move(part), [promise](std::exception_ptr const& failure) {
                failure ? promise->set_exception(failure) : promise->set_value();
            });
        } else {
            asio::co_spawn(executor(), std::move(part), [promise](std::exception_ptr const& failure, Result value) {
                failure ? promise->set_exception(failure) : promise->set_value(std::move(value));
            });
        }
        return future.get();
    }

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace baton
