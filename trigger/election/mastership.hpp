#pragma once

#include "libs/base/time.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace baton::trigger {

// active: the master may act. suspended: a deadline has passed and it may not act, but it may resume under the same
// epoch, because an acknowledged renewal proves that no other node was elected. lost: over for good.
enum class standing { none, active, suspended, lost };
std::string_view to_string(standing which);

// The mastership of this node. The election writes it; a master reads it before every action. The deadlines end a term
// on time even while a renewal hangs. Any thread may read.
class mastership {
public:
    static constexpr instant unguarded = instant::max();

    // A lease of `epoch` was acknowledged. It is trusted from `asked`, the time before the request. Call guard() first
    // for a new term.
    void extend(std::int64_t epoch, instant asked, duration ttl, duration margin)
    {
        store(lease_until_, asked + ttl - ttl / 1'000 - margin);
        epoch_.store(epoch, std::memory_order_release);
    }
    // Sets the deadline of the guard. From the moment the row may show a guard, the lease alone does not suffice.
    void guard(instant until) { store(guard_until_, until); }

    void lose() { epoch_.store(0, std::memory_order_release); }

    // 0 if this node is not the master. A suspended term keeps its epoch.
    std::int64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
    instant lease_until() const { return load(lease_until_); }
    instant guard_until() const { return load(guard_until_); }
    bool guarded() const { return guard_until() != unguarded; }
    instant deadline() const { return std::min(lease_until(), guard_until()); }

    // May an action of `term` that takes up to `need` begin at `now`?
    bool active(std::int64_t term, instant now, duration need = {}) const
    {
        return term != 0 && epoch() == term && now + need < deadline();
    }

    standing at(instant now) const
    {
        auto const mine = epoch();
        return mine == 0 ? standing::none : now < deadline() ? standing::active : standing::suspended;
    }

private:
    using moment = std::atomic<std::int64_t>;
    static void store(moment& into, instant at)
    {
        into.store(at.time_since_epoch().count(), std::memory_order_release);
    }
    static instant load(moment const& from) { return instant{duration{from.load(std::memory_order_acquire)}}; }

    std::atomic<std::int64_t> epoch_{0};
    moment lease_until_{0};
    moment guard_until_{unguarded.time_since_epoch().count()};
};

} // namespace baton::trigger
