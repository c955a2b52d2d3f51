#pragma once

#include "locks/core/lock_context.hpp"

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

namespace baton::lock {

// When a holder must stop using a grant that it requested at `sent`, by its own clock: a tenth of `ttl` (at most 250
// ms) before the store may grant the lock again, minus the possible difference of the two clocks' rates (10^-3).
instant use_until(instant sent, duration ttl);

// A grant and the request behind it, from a lock_holder.
struct held_lock_parts {
    std::string name;
    lock_options options;
    std::shared_ptr<acquisition> handle;
    grant granted;
    instant sent; // when the granted request was sent
};

// A granted lock, until its release or loss. A loss is final: a later answer of the store does not revoke it. On the
// loop, unless a comment says otherwise.
class held_lock : public std::enable_shared_from_this<held_lock> {
public:
    // Any thread.
    held_lock(lock_context& context, held_lock_parts parts);

    // Starts to renew the lock and to watch its time. Called a moment after the grant.
    void begin();
    // May run on a caller's thread (run_here()) if the kind allows it. The rest of the work follows on the loop.
    awaitable<release_result> release();
    // The end of the store: the lock counts as lost. Tries to release it until `until`.
    awaitable<void> end(instant until);
    // Releases in the background what the store may have granted, although no caller holds it.
    void release_in_background();

    // Any thread.
    std::int64_t token() const { return parts_.granted.token; }
    std::stop_token lost() const { return lost_.get_token(); }
    bool over() const { return phase_ == phase::lost; }
    // The holder must do nothing under the lock after this. In the past if the lock is lost or released.
    instant deadline() const;

private:
    using self = std::shared_ptr<held_lock>; // keeps the object alive while a coroutine uses it
    enum class phase { held, lost, released };

    static awaitable<void> watch(self me);
    static awaitable<void> renew(self me);
    static awaitable<void> arm_notification(self me);
    static awaitable<void> send_notification(std::shared_ptr<acquisition> handle);
    static awaitable<void> release_until_expired(self me);
    void spawn_send_notification();
    void stop_watching();
    void finish(release_result result, bool was_noticed, bool was_late);
    awaitable<void> watch_until_over();
    awaitable<release_result> try_release(instant until);
    void apply_renewal(bool still_held, instant sent);
    void set_renewed(instant sent);
    void expire();
    bool lose(char const* why); // false: it was over before
    bool held() const { return phase_ == phase::held; }
    bool released() const { return phase_ == phase::released; }
    bool renews(instant now) const;
    instant begin_due_work(instant now);

    struct renewal {
        instant sent; // of the last renewal that the store answered, or of the grant
        instant next;
        bool running = false;
    };

    std::shared_ptr<void> loop_owner_; // destroyed last
    lock_context& context_;
    held_lock_parts parts_;
    renewal renewal_;
    bool notification_armed_ = false;
    std::atomic<phase> phase_ = phase::held;
    std::atomic<bool> claimed_ = false; // by begin(), or by a release that came first
    std::atomic<std::int64_t> deadline_;
    std::stop_source lost_;
    std::shared_ptr<waker> changed_; // made and destroyed on the loop
};

} // namespace baton::lock
