#pragma once

#include "libs/base/loop.hpp"

#include <list>
#include <memory>
#include <string>

namespace baton {

// Coroutines that run beside their owner and end with it. The owner awaits `join` (or cancels and joins) before it is
// destroyed, so a spawned coroutine may refer to it. On the loop only.
class task_group {
public:
    explicit task_group(asio::any_io_executor loop);

    // Starts `work`; a failure is logged under `name`. After cancel() nothing is started any more.
    void spawn(char const* name, awaitable<void> work);

    void cancel();

    // Returns when none is left. Not itself cancellable: its owner must not die before its coroutines.
    awaitable<void> join();

    std::size_t size() const { return running_; }

private:
    asio::any_io_executor loop_;
    std::list<std::shared_ptr<asio::cancellation_signal>> signals_;
    std::size_t running_ = 0;
    bool cancelled_ = false;
    waker ended_;
};

} // namespace baton
