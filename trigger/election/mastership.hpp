#pragma once

#include "libs/base/time.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace baton::trigger {

// active: may act. suspended: a deadline passed, nothing may be done; may resume under the same epoch, because an
// acknowledged renewal proves that nobody else was elected. lost: over for good.
enum class standing { none, active, suspended, lost };
std::string_view to_string(standing which);

// What this node knows of its own mastership. Written by the election, read before every act of a master, from any
// thread: the deadlines alone end a term on time, even while a renewal hangs.
class mastership {
public:
    static constexpr instant unguarded = instant::max();

    // A lease of `epoch`, acknowledged, asked for at `asked`: trusted from the moment of asking. A new term's guard
    // comes first.
    void extend(std::int64_t epoch, instant asked, duration ttl, duration margin)
    {
        store(lease_until_, asked + ttl - ttl / 1'000 - margin);
        epoch_.store(epoch, std::memory_order_release);
    }
    // Once the row may say that a guard binds this lease, the lease alone counts for nothing.
    void guard(instant until) { store(guard_until_, until); }

    void lose() { epoch_.store(0, std::memory_order_release); }

    // 0 when not master. Suspended terms keep their epoch.
    std::int64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
    instant lease_until() const { return load(lease_until_); }
    instant guard_until() const { return load(guard_until_); }
    bool guarded() const { return guard_until() != unguarded; }
    instant deadline() const { return std::min(lease_until(), guard_until()); }

    // May an act of `epoch` that takes up to `need` begin at `now`?
    bool active(std::int64_t of, instant now, duration need = {}) const
    {
        return of != 0 && epoch() == of && now + need < deadline();
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
