#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/election/cluster_clock.hpp"
#include "trigger/election/mastership.hpp"

namespace baton::trigger {

inline constexpr duration transaction_need = 200ms; // time that a fenced transaction may take, if there is room

// One term of mastership, as the parts that act under it see it.
struct term {
    storage::fence fence;
    mastership const& ship;
    time_source& time;
    cluster_clock& clock;
    // The incarnation that this term replaced although it did not release the lease, if known. It does not deliver what
    // it had assigned to itself, because that requires its own mastership.
    std::string replaced{};

    // room_for_acts(). An act that would like more time is content with this: the fence and the epoch keep it harmless
    // if it takes longer than the term lasts.
    duration room = duration::max();

    protocol::namespace_id name_space = protocol::first_namespace;

    std::int64_t epoch() const { return fence.epoch; }
    protocol::term_id id() const { return {name_space, fence.epoch}; }
    // May an action that takes up to `need` begin now?
    bool active(duration need) const { return ship.active(fence.epoch, time.now(), std::min(need, room)); }

    // Waits until it may. The scope of a lost term is cancelled.
    awaitable<void> until_active(duration need)
    {
        while (!active(need))
            co_await time.sleep_for(10ms);
    }
};

} // namespace baton::trigger
