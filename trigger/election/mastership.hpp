#pragma once

#include "libs/base/time.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::trigger {

// active: the master may act. suspended: a deadline has passed and it may not act, but it may resume under the same
// epoch, because an acknowledged renewal proves that no other node was elected. lost: over for good.
enum class standing { none, active, suspended, lost };
std::string_view to_string(standing which);

// The deadline of `term`, read while another thread may end it and begin the next one: nothing if `epoch()`, read
// before and after `deadline()`, is not that of the term.
template <class Epoch, class Deadline>
std::optional<instant> read_deadline(std::int64_t term, Epoch const& epoch, Deadline const& deadline)
{
    if (epoch() != term)
        return std::nullopt;
    auto const until = deadline();
    return epoch() == term ? std::optional(until) : std::nullopt;
}

// The mastership of this node. The election's loop writes it; the master reads it on the working loop before every
// action. The deadlines end a term on time even while a renewal hangs.
//
// Only the election's loop writes, except that any thread may call supersede(). Any thread may read: epoch, deadlines,
// and the epoch again, so that the epoch of an old term never meets the deadlines of a new one.
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

    // This epoch exists. If the present term has a lower one, it does not act from now on, though the election has yet
    // to end it; then returns true.
    bool supersede(std::int64_t by)
    {
        auto const mine = epoch();
        if (mine == 0 || mine >= by)
            return false;
        superseded_.store(mine, std::memory_order_release);
        return true;
    }

    // 0 if this node is not the master. A suspended term keeps its epoch.
    std::int64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
    instant lease_until() const { return load(lease_until_); }
    instant guard_until() const { return load(guard_until_); }
    bool guarded() const { return guard_until() != unguarded; }
    instant deadline() const { return std::min(lease_until(), guard_until()); }

    // May an action of `term` that takes up to `need` begin at `now`?
    bool active(std::int64_t term, instant now, duration need = {}) const
    {
        if (term == 0 || superseded(term))
            return false;
        auto const until = deadline_of(term);
        return until && now + need < *until;
    }

    standing at(instant now) const
    {
        for (;;) {
            auto const mine = epoch();
            if (mine == 0)
                return standing::none;
            auto const until = deadline_of(mine);
            if (!until)
                continue;
            if (now >= *until)
                return standing::suspended;
            return superseded(mine) ? standing::lost : standing::active;
        }
    }

private:
    std::optional<instant> deadline_of(std::int64_t term) const
    {
        return read_deadline(
            term, [this] { return epoch(); }, [this] { return deadline(); });
    }
    bool superseded(std::int64_t term) const { return superseded_.load(std::memory_order_acquire) == term; }

    using moment = std::atomic<std::int64_t>;
    static void store(moment& into, instant at)
    {
        into.store(at.time_since_epoch().count(), std::memory_order_release);
    }
    static instant load(moment const& from) { return instant{duration{from.load(std::memory_order_acquire)}}; }

    std::atomic<std::int64_t> epoch_{0};
    std::atomic<std::int64_t> superseded_{0}; // the epoch of a term that must not act any more
    moment lease_until_{0};
    moment guard_until_{unguarded.time_since_epoch().count()};
};

} // namespace baton::trigger
