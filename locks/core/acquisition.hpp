#pragma once
// The interface between the common part of all locks (lock_holder.hpp) and one kind of lock on one sort of server.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "locks/core/lock_share.hpp"
#include "locks/include/baton/lock/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

// The largest relative difference between the rates of two clocks, as its reciprocal: slewing and crystals, rounded up.
inline constexpr std::int64_t rate_error = 1'000;

struct grant {
    std::int64_t token = 0;           // 0: this kind has no tokens
    bool took_over = false;           // from a holder whose time had ended
    std::optional<duration> ttl = {}; // if the store grants less than was requested

    grant() = default;
    explicit grant(std::int64_t number, bool over = false, std::optional<duration> span = {})
        : token(number), took_over(over), ttl(span)
    {}
};

struct refusal {
    // When the present holder's time ends if it does not renew, if known.
    std::optional<instant> until;
};

struct try_result {
    std::optional<grant> granted;
    refusal refused; // if not granted
};

// One acquisition, from its first try to its release. It has an identity of its own, so that a late answer or a late
// statement never counts for another acquisition. Each call may throw `unavailable`: its effect is then unknown, and
// the next call finds out. `take`, `await_change` and `release` never overlap each other; other calls may overlap.
// Calls are on the loop. If lock_kind::on_any_thread(), `take` and `release` may also run on a caller's thread
// (run_here()).
class acquisition {
public:
    virtual ~acquisition() = default;

    // One try, which does not wait for other holders.
    virtual awaitable<try_result> take() = 0;
    // Returns when the lock may be free, or at `until`. It may return too early.
    virtual awaitable<void> await_change(refusal refused, instant until) = 0;
    // Called once, when the lock has been held for a moment: lets waiters sleep in the server until
    // send_notification().
    virtual awaitable<void> arm_notification() { co_return; }
    // Called after the release or the loss of the lock; may be called twice.
    virtual awaitable<void> send_notification() { co_return; }
    // Renews the lock. False: it is not held any more.
    virtual awaitable<bool> extend() = 0;
    // False: it was not held any more. Also removes what an unanswered `take` may have left in the store.
    virtual awaitable<bool> release() = 0;
    // The hold has expired and is not used any more. Frees it in the background if the store does not expire it.
    virtual void discard() {}
};

struct acquisition_request {
    std::string name;
    std::string owner; // the identity of this acquisition
    std::string label;
    duration ttl{};
    lock_share share;
};

// Makes the acquisitions of one kind of lock. Any thread.
class lock_kind {
public:
    virtual ~lock_kind() = default;

    virtual std::string const& name() const = 0; // as in kind_metrics
    virtual guarantee level() const = 0;
    // True if a caller's thread may take and release without the loop.
    virtual bool on_any_thread() const { return false; }
    virtual std::unique_ptr<acquisition> make_acquisition(acquisition_request request) = 0;
    // Returns once no call to a server is under way that an acquisition left behind, or at `until`. On the loop.
    virtual awaitable<void> calls_ended(instant until)
    {
        static_cast<void>(until);
        co_return;
    }
};

} // namespace baton::lock
