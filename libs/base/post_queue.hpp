#pragma once

#include "libs/base/loop.hpp"
#include "libs/base/task_group.hpp"

#include <functional>
#include <mutex>
#include <vector>

namespace baton {

// Functions that other threads post to a loop. The loop is woken once for a group of them, so that a post costs its
// thread no system call while the queue is being emptied.
class post_queue {
public:
    // The coroutine that empties the queue runs in `group`, whose owner must outlive the last post.
    post_queue(asio::any_io_executor loop, time_source& time, task_group& group);

    // Runs `function` on the loop within `max_delay`, sooner if a thousand functions wait; in the order of the posts.
    // An exception is logged. Any thread.
    void post(std::function<void()> function);

    // Runs every waiting function now; false if there was none. On the loop only.
    bool run_pending();

    static constexpr duration max_delay = 10ms;

private:
    awaitable<void> run_until_empty();

    asio::any_io_executor loop_;
    time_source& time_;
    task_group& group_;
    std::mutex mutex_; // guards the members below
    std::vector<std::function<void()>> waiting_;
    bool scheduled_ = false; // run_until_empty() runs or is about to
};

} // namespace baton
