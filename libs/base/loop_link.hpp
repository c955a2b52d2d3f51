#pragma once
// Two event loops that work together. They share only what any thread may read; everything else is posted.

#include "libs/base/asio.hpp"

#include <functional>

namespace baton {

// A loop, for code that runs on another one.
struct loop_ref {
    using poster = std::function<void(std::function<void()>)>;

    explicit loop_ref(asio::any_io_executor loop);
    loop_ref(asio::any_io_executor loop, poster by) : executor(std::move(loop)), post(std::move(by)) {}

    asio::any_io_executor executor;
    // Runs a function on the loop, in the order of the calls. Any thread. A simulation delays it while the loop is
    // frozen.
    poster post;
};

// Runs `make()` on the loop `there` and waits for its end on the loop `here`, which is the caller's. Cancelling the
// caller cancels it there. Returns, or throws its exception, only after it has ended.
awaitable<void> run_on(loop_ref there, loop_ref here, std::function<awaitable<void>()> make);

} // namespace baton
