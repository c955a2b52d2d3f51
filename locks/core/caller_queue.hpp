#pragma once
// The callers that wait for one lock object, first come, first served.

#include "libs/base/loop.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <stop_token>

namespace baton::lock {

// One call that waits for a lock. Both stop tokens wake it wherever it waits.
class waiting_caller {
public:
    waiting_caller(asio::any_io_executor const& loop, std::stop_token caller, std::stop_token closing);

    bool stopped() const { return caller_.stop_requested() || closing_.stop_requested(); }
    std::shared_ptr<waker> const& wakeup() const { return wakeup_; }

private:
    struct wake_on_loop {
        asio::any_io_executor loop;
        std::shared_ptr<waker> wakeup;
        void operator()() const;
    };

    std::stop_token caller_;
    std::stop_token closing_;
    std::shared_ptr<waker> wakeup_;
    std::stop_callback<wake_on_loop> on_caller_;
    std::stop_callback<wake_on_loop> on_closing_;
};

// The first in the queue tries to lock or holds the lock. Any thread, unless a comment says otherwise.
class caller_queue {
public:
    explicit caller_queue(asio::any_io_executor loop) : loop_(std::move(loop)) {}

    // Takes the first place for a caller that does not wait. False if the queue is not empty.
    bool try_enter();
    void enqueue(waiting_caller& caller);
    // Puts a caller into the place that its try_enter() took.
    void resume(waiting_caller& caller);
    // The first caller stops waiting and keeps its place as the holder.
    void hold_place();
    // On the loop: true when it is the caller's turn, false when the caller was stopped or at `until`.
    awaitable<bool> await_turn(waiting_caller& caller, time_source& time, instant until);
    void leave(waiting_caller const& caller);
    // Removes the first place and wakes the next caller.
    void pass_on();

private:
    bool is_first(waiting_caller const& caller) const;

    asio::any_io_executor loop_;
    mutable std::mutex mutex_;
    std::list<waiting_caller*> queue_; // null: a first place without a waiting caller
};

} // namespace baton::lock
