#pragma once

#include "libs/base/loop_thread.hpp"
#include "libs/base/post_queue.hpp"
#include "libs/base/task_group.hpp"

#include <future>

namespace baton::lock {

// The thread of a store, with its loop and the coroutines that run beside its calls.
class store_loop {
public:
    explicit store_loop(time_source& time);

    void start();
    // Waits for all coroutines and ends the thread. A coroutine on the loop must have called stop().
    void end();
    void stop() { stop_.wake(); }

    loop_thread& thread() { return thread_; }
    task_group& tasks() { return tasks_; }
    post_queue& posts() { return posts_; }

private:
    awaitable<void> run_tasks();

    loop_thread thread_;
    task_group tasks_;
    post_queue posts_;
    waker stop_;
    std::future<void> ended_;
};

} // namespace baton::lock
