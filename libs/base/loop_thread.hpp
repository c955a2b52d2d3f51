#pragma once
// Lets blocking callers use coroutines, for a library whose callers have their own threads.

#include "libs/base/asio.hpp"

#include <exception>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace baton {

// An event loop with its own thread. The functions may be called from any thread unless a comment says otherwise.
class loop_thread {
public:
    loop_thread();
    ~loop_thread(); // calls end()
    loop_thread(loop_thread const&) = delete;
    loop_thread& operator=(loop_thread const&) = delete;

    // Stops the loop at once and joins its thread. Coroutines on the loop must have ended before.
    void end();

    asio::any_io_executor executor();
    // Keeps the loop alive, but not its thread, for objects that refer to the loop and may outlive this one.
    std::shared_ptr<void> context() const;
    bool is_this_thread() const; // true on the loop's own thread

    // Runs `part` on the loop, blocks until it ends, and returns its result or throws its exception. Deadlocks on the
    // loop's own thread.
    template <class Result>
    Result wait(awaitable<Result> part)
    {
        // Shared, because the caller may return before set_value() has returned on the loop's thread.
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
