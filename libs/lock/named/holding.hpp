#pragma once
// One holder's view of a lock by name: who waits for it here, and what it holds.

#include "libs/base/loop.hpp"
#include "libs/lock/named/tenure.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace baton::lock {

class holding {
public:
    holding(workshop& in, std::string name, lock_options how);

    // On the loop, from here. True when granted, false at `until`; throws std::system_error.
    awaitable<bool> acquire(instant until, std::stop_token stop);
    awaitable<release_result> release();

    // Any thread, also when the store is gone.
    std::string const& name() const { return name_; }
    guarantee level() const { return level_; }
    std::shared_ptr<tenure> current() const;

private:
    struct waiter;

    awaitable<bool> enter(waiter& self, instant until);
    std::shared_ptr<contender> make_contender();
    awaitable<bool> contend(waiter& self, instant until);
    void give_up(std::shared_ptr<contender> by);
    awaitable<void> hint(contender& by, refusal what, instant until);
    // Whether what was granted can still be used; it is installed then.
    bool install(std::shared_ptr<contender> by, grant what, instant sent);
    void leave();
    void count_grant(duration waited);

    workshop& in_;
    std::string name_;
    lock_options how_;
    guarantee level_;
    std::list<waiter*> queue_; // first come, first served: the first contends or holds
    int depth_ = 0;            // how many times the holder has locked it
    mutable std::mutex mutex_; // of what follows
    std::shared_ptr<tenure> tenure_;
};

} // namespace baton::lock
