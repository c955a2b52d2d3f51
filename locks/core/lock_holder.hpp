#pragma once
// One holder's view of a lock by name: who waits for it here, and what it holds.

#include "libs/base/loop.hpp"
#include "locks/core/held_lock.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace baton::lock {

// One try, and its answer.
struct sent_try {
    std::shared_ptr<acquisition> by; // null: not tried
    instant sent{};
    try_result made;
    std::optional<std::string> failed; // why the store did not answer
};

class lock_holder {
public:
    lock_holder(lock_context& context, std::string name, lock_options how, lock_share of = {});

    // What a call on its own thread has come to.
    struct first_try {
        bool granted = false;
        // The turn is the caller's: acquire() is to go on from there.
        std::optional<sent_try> begun = {};
    };
    // Where on_any_thread(), on a thread that waits: one try, if nobody else of this object holds it or waits for it.
    // Throws what the kind does.
    first_try open();
    // On the loop. True when granted, false at `until`; throws std::system_error.
    awaitable<bool> acquire(instant until, std::stop_token stop, std::optional<sent_try> begun = {});
    // On the loop, or where on_any_thread() on a thread that waits.
    awaitable<release_result> release();

    // Any thread, also when the store is gone.
    std::string const& name() const { return name_; }
    guarantee level() const { return level_; }
    bool on_any_thread() const { return on_any_thread_; }
    std::shared_ptr<held_lock> current() const;

private:
    struct waiter;
    struct watch;

    bool enter_again(); // as the reentrant holder
    void line_up(waiter& self, bool has_turn);
    bool has_turn(waiter const& self) const;
    awaitable<bool> await_turn(waiter& self, instant until);
    void leave(waiter const& self);
    void pass_on();
    awaitable<first_try> open_here(instant began);
    std::shared_ptr<acquisition> make_acquisition();
    awaitable<sent_try> try_once(std::shared_ptr<acquisition> by);
    awaitable<bool> contend(waiter& self, instant until, instant began, sent_try tried);
    void give_up(std::shared_ptr<acquisition> by);
    awaitable<void> await_change(waiter& self, std::shared_ptr<acquisition> by, refusal what, instant until,
                                 bool in_doubt);
    static awaitable<void> watch_change(std::shared_ptr<watch> waits, time_source& time, refusal what, instant until);
    static awaitable<void> hint(watch& waits, time_source& time, refusal what, instant until);
    // Whether what was granted can still be used; it is held then.
    bool install(sent_try const& tried, instant began);

    lock_context& context_;
    std::string name_;
    lock_options how_;
    lock_share share_;
    guarantee level_;
    bool on_any_thread_;
    mutable std::mutex mutex_; // of what follows
    // First come, first served: the first contends or holds. Null: it does so without the loop, or holds.
    std::list<waiter*> queue_;
    int depth_ = 0; // how many times the holder has locked it
    std::shared_ptr<held_lock> held_;
};

} // namespace baton::lock
