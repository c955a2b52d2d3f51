#pragma once
// The state behind one lock object: its waiting callers, its reentrancy count and the lock it holds.

#include "locks/core/caller_queue.hpp"
#include "locks/core/held_lock.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace baton::lock {

// One try and its answer.
struct sent_try {
    std::shared_ptr<acquisition> handle; // null: not tried yet
    instant sent{};
    try_result result;
    std::optional<std::string> failure; // why the store did not answer
};

class lock_holder {
public:
    lock_holder(lock_context& context, std::string name, lock_options options, lock_share share = {});

    struct first_try {
        bool granted = false;
        // Set if the caller has its turn: acquire() continues from this try.
        std::optional<sent_try> begun = {};
    };
    // On a caller's thread, if on_any_thread(): one try, unless another caller of this object holds or awaits the lock.
    // Throws what the kind throws.
    first_try try_on_this_thread();
    // On the loop. True when granted, false at `until`; throws std::system_error.
    awaitable<bool> acquire(instant until, std::stop_token stop, std::optional<sent_try> begun = {});
    // On the loop, or on a caller's thread if on_any_thread().
    awaitable<release_result> release();

    // Any thread, also after the end of the store.
    std::string const& name() const { return name_; }
    guarantee level() const { return level_; }
    bool on_any_thread() const { return on_any_thread_; }
    std::shared_ptr<held_lock> current() const;

private:
    bool reenter(); // true if this object holds the lock and is reentrant
    awaitable<first_try> try_first(instant began);
    std::shared_ptr<acquisition> make_acquisition();
    awaitable<sent_try> try_once(std::shared_ptr<acquisition> handle);
    awaitable<bool> try_until(waiting_caller& caller, instant until, instant began, sent_try tried);
    awaitable<void> pause(waiting_caller& caller, sent_try const& tried, instant until, bool in_doubt);
    void release_in_background(std::shared_ptr<acquisition> handle);
    // False if the grant expired on its way here.
    bool hold(sent_try const& tried, instant began);
    void report_grant(grant const& granted, duration waited) const;

    lock_context& context_;
    std::string name_;
    lock_options options_;
    lock_share share_;
    guarantee level_;
    bool on_any_thread_;
    caller_queue callers_;
    mutable std::mutex mutex_; // guards the members below
    int depth_ = 0;            // lock() calls of the holder
    std::shared_ptr<held_lock> held_;
};

} // namespace baton::lock
