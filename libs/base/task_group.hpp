#pragma once
// Structured concurrency for a dynamic number of coroutines. On the loop only.

#include "libs/base/loop.hpp"

#include <list>
#include <memory>
#include <string>

namespace baton {

// Coroutines that run beside their owner and end before it. They may refer to the owner, which must await around().
class task_group {
public:
    explicit task_group(asio::any_io_executor loop);

    // Starts `work`; an exception is logged with `name`. Does nothing once the body of around() has ended.
    void spawn(char const* name, awaitable<void> work);

    // Awaits `body`, cancels the spawned coroutines, waits for their end, and then returns or throws as `body` did.
    // That wait ignores cancellation, because the owner must outlive its coroutines. It may be called again then.
    awaitable<void> around(awaitable<void> body);

    std::size_t size() const { return running_; } // spawned coroutines that have not ended

private:
    void cancel();

    asio::any_io_executor loop_;
    std::list<std::shared_ptr<asio::cancellation_signal>> signals_;
    std::size_t running_ = 0;
    bool cancelled_ = false;
    waker ended_;
};

} // namespace baton
