#pragma once
// One holder's view of a lock by name: who waits for it here, and what it holds.

#include "libs/base/loop.hpp"
#include "locks/core/tenure.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace baton::lock {

// One try, and its answer.
struct trial {
    std::shared_ptr<contender> by; // null: not tried
    instant sent{};
    attempt made;
    std::optional<std::string> failed; // why the store did not answer
};

class holding {
public:
    holding(workshop& in, std::string name, lock_options how, share of = {});

    // What a call on its own thread has come to.
    struct opening {
        bool granted = false;
        // The turn is the caller's: acquire() is to go on from there.
        std::optional<trial> begun = {};
    };
    // Where on_any_thread(), on a thread that waits: one try, if nobody else of this object holds it or waits for it.
    // Throws what the kind does.
    opening open();
    // On the loop. True when granted, false at `until`; throws std::system_error.
    awaitable<bool> acquire(instant until, std::stop_token stop, std::optional<trial> begun = {});
    // On the loop, or where on_any_thread() on a thread that waits.
    awaitable<release_result> release();

    // Any thread, also when the store is gone.
    std::string const& name() const { return name_; }
    guarantee level() const { return level_; }
    bool on_any_thread() const { return on_any_thread_; }
    std::shared_ptr<tenure> current() const;

private:
    struct waiter;
    struct watch;

    bool enter_again(); // as the reentrant holder
    void line_up(waiter& self, bool has_turn);
    bool has_turn(waiter const& self) const;
    awaitable<bool> await_turn(waiter& self, instant until);
    void leave(waiter const& self);
    void pass_on();
    awaitable<opening> open_here(instant began);
    std::shared_ptr<contender> make_contender();
    awaitable<trial> try_once(std::shared_ptr<contender> by);
    awaitable<bool> contend(waiter& self, instant until, instant began, trial tried);
    void give_up(std::shared_ptr<contender> by);
    awaitable<void> await_change(waiter& self, std::shared_ptr<contender> by, refusal what, instant until,
                                 bool in_doubt);
    static awaitable<void> watch_change(std::shared_ptr<watch> waits, time_source& time, refusal what, instant until);
    static awaitable<void> hint(watch& waits, time_source& time, refusal what, instant until);
    // Whether what was granted can still be used; it is held then.
    bool install(trial const& tried, instant began);

    workshop& in_;
    std::string name_;
    lock_options how_;
    share share_;
    guarantee level_;
    bool on_any_thread_;
    mutable std::mutex mutex_; // of what follows
    // First come, first served: the first contends or holds. Null: it does so without the loop, or holds.
    std::list<waiter*> queue_;
    int depth_ = 0; // how many times the holder has locked it
    std::shared_ptr<tenure> tenure_;
};

} // namespace baton::lock
