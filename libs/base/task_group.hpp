#pragma once

#include "libs/base/loop.hpp"

#include <list>
#include <memory>
#include <string>

namespace baton {

// Coroutines that run beside their owner and end with it: whoever spawns does so while the owner awaits `around`, so a
// spawned coroutine may refer to it. On the loop only.
class task_group {
public:
    explicit task_group(asio::any_io_executor loop);

    // Starts `work`; a failure is logged under `name`. After the body's end nothing is started any more.
    void spawn(char const* name, awaitable<void> work);

    // Awaits `body`, then cancels what was spawned and returns or throws as the body did when none of it is left. That
    // end is not itself cancellable, also where the body was cancelled: the owner must not die before its coroutines.
    awaitable<void> around(awaitable<void> body);

    std::size_t size() const { return running_; }

private:
    void cancel();

    asio::any_io_executor loop_;
    std::list<std::shared_ptr<asio::cancellation_signal>> signals_;
    std::size_t running_ = 0;
    bool cancelled_ = false;
    waker ended_;
};

} // namespace baton
