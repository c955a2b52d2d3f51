#pragma once
// The seam between what all locks by name have in common (lock_holder.hpp) and one kind of them.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "locks/core/lock_share.hpp"
#include "locks/include/baton/lock/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

// By how much the rates of two clocks may differ, as its reciprocal: slewing and crystals, rounded up.
inline constexpr std::int64_t rate_error = 1'000;

struct grant {
    std::int64_t token = 0;           // 0: the kind has none
    bool took_over = false;           // from a holder whose time was over
    std::optional<duration> ttl = {}; // for how long, where the store gives less than was asked for

    grant() = default;
    explicit grant(std::int64_t number, bool over = false, std::optional<duration> span = {})
        : token(number), took_over(over), ttl(span)
    {}
};

struct refusal {
    std::optional<instant> until; // when the holder's time is over, if it is not renewed meanwhile
};

struct try_result {
    std::optional<grant> granted;
    refusal refused;
};

// One acquisition, from its first try to its release. Its identity is new, so that an answer that came too late, or a
// statement that did, is never taken for another's. Each call may throw `unavailable`: its effect is then unknown, and
// the next call finds out. Of all calls only `take`, `await_change` and `release` never overlap. All are on the loop,
// but where the kind says so, `take` and `release` may also be on a thread that waits for them (run_here()).
class acquisition {
public:
    virtual ~acquisition() = default;

    // One try that waits for nobody.
    virtual awaitable<try_result> take() = 0;
    // Returns when the lock may be free, or at `until`; a hint.
    virtual awaitable<void> await_change(refusal what, instant until) = 0;
    // Called once when it has been held for a moment, beside the others: for what makes it cheaper to wait for.
    virtual awaitable<void> arm_notification() { co_return; }
    // The end of that: once it was released or lost. May be called twice.
    virtual awaitable<void> send_notification() { co_return; }
    // A sign of life. False: it is not held any more.
    virtual awaitable<bool> extend() = 0;
    // False: it was not held any more. Also clears what a `take` without an answer may have left.
    virtual awaitable<bool> release() = 0;
    // What is held is not used any more, since its time is over. Where the store does not end it by itself, this does,
    // in the background.
    virtual void discard() {}
};

struct acquisition_request {
    std::string name;
    std::string owner; // of this acquisition alone
    std::string label;
    duration ttl{};
    lock_share share;
};

class lock_kind {
public:
    virtual ~lock_kind() = default;

    virtual std::string const& name() const = 0; // "record"
    virtual guarantee level() const = 0;
    // Whether a caller's thread may take and release, without the loop.
    virtual bool on_any_thread() const { return false; }
    virtual std::unique_ptr<acquisition> make_acquisition(acquisition_request request) = 0;
};

} // namespace baton::lock
