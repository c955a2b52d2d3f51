#pragma once

#include "libs/base/loop.hpp"
#include "libs/base/post_queue.hpp"
#include "libs/base/random.hpp"
#include "libs/base/task_group.hpp"
#include "locks/core/acquisition.hpp"
#include "locks/include/baton/lock/metrics.hpp"
#include "locks/include/baton/lock/types.hpp"

#include <atomic>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

namespace baton::lock {

class held_lock;

// What the locks of one kind in one store share. On the loop.
struct lock_context {
    lock_kind& kind;
    asio::any_io_executor loop;
    std::shared_ptr<void> loop_owner; // of the loop: what is left to a caller may outlive the store
    time_source& time;
    random_source& random;
    task_group& beside;
    post_queue& posts;       // functions that other threads post to the loop
    std::string incarnation; // of this process: an acquisition's owner is this and a random number
    std::stop_token closing;
    kind_metrics counted;
    std::set<std::shared_ptr<held_lock>> held = {}; // or lost, and not unlocked yet
};

// By when what was granted to a request sent at `sent` must no longer be used, whatever the store's clock says: a tenth
// of `ttl` (250 ms at most) before that has passed, less what the rates of two clocks may differ by (10^-3).
instant use_until(instant sent, duration ttl);

// A grant, from the moment it was given to its release or loss, which is final: a later sign of life would be another
// grant. On the loop, but for the queries and where it is said.
class held_lock : public std::enable_shared_from_this<held_lock> {
public:
    // Any thread.
    held_lock(lock_context& context, std::string name, lock_options const& how, std::shared_ptr<acquisition> by,
              grant what, instant sent);

    // On the loop, a moment after the grant: to renew it, and to tell of its loss.
    void begin();
    // On the loop, or for a kind that can do it on a thread that waits (run_here()); what follows is on the loop.
    awaitable<release_result> release();
    awaitable<void> end(instant until); // with its store
    // Gives back in the background what the store may have granted, though nobody holds it here (any more).
    void abandon();

    // Any thread.
    std::int64_t token() const { return granted_.token; }
    std::stop_token lost() const { return lost_.get_token(); }
    bool over() const { return phase_ == phase::lost; }
    // Nothing must be done under it from then on; the past when it is lost or released.
    instant deadline() const;

private:
    using self = std::shared_ptr<held_lock>; // keeps it while it runs beside its holder
    enum class phase { held, lost, released };

    static awaitable<void> watch(self me);
    static awaitable<void> renew(self me);
    static awaitable<void> settle(self me);
    static awaitable<void> send_notification(std::shared_ptr<acquisition> by);
    void begin_unsettling();
    static awaitable<void> let_go(self me);
    void finish(release_result how, bool was_noticed, bool was_late);
    awaitable<void> watch_until_over();
    awaitable<release_result> give_back(instant until);
    void heard(bool held, instant sent);
    void renewed(instant sent);
    void expire();
    bool lose(char const* why); // false: it was over before
    bool held() const { return phase_ == phase::held; }
    bool released() const { return phase_ == phase::released; }
    bool renews(instant now) const;
    instant begin_due_work(instant now);

    std::shared_ptr<void> loop_owner_; // goes last
    lock_context& context_;
    std::string name_;
    lock_options how_;
    std::shared_ptr<acquisition> by_;
    grant granted_;
    instant began_;
    instant renewed_at_; // when the last sign of life that was answered was sent
    instant next_renewal_;
    bool settled_ = false;
    bool renewing_ = false;
    std::atomic<phase> phase_ = phase::held;
    std::atomic<bool> claimed_ = false; // by begin(), or by a release that came before it
    std::atomic<std::int64_t> deadline_;
    std::stop_source lost_;
    std::shared_ptr<waker> changed_; // made and ended on the loop
};

} // namespace baton::lock
