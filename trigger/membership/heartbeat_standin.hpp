#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/nodes.hpp"
#include "trigger/membership/settings.hpp"
#include "trigger/membership/validity.hpp"

#include <functional>

namespace baton::trigger {

// Repeats this node's last heartbeat while the working loop is busy with a long step, so that the other nodes do not
// count it as gone. On the election's loop only.
class heartbeat_standin {
public:
    // `may_beat`: the working loop is expected to go on.
    heartbeat_standin(membership_settings settings, storage::database& database, time_source& time, validity& valid,
                      std::function<bool()> may_beat);

    // Runs until it is cancelled.
    awaitable<void> run();

    // The working loop has written this row, after a request at `asked`.
    void beaten(storage::node_record row, instant asked);
    // No heartbeat follows: the node's row is about to be removed. Returns when none is under way.
    awaitable<void> end();

private:
    awaitable<void> beat();

    membership_settings settings_;
    storage::nodes table_;
    time_source& time_;
    validity& valid_;
    std::function<bool()> may_beat_;
    storage::node_record row_;
    instant last_{}; // the request of the last heartbeat; instant{}: none yet
    bool beating_ = false;
    bool ended_ = false;
};

// Until when a heartbeat that was asked for at `asked` holds: shortened like a lease.
instant valid_until(membership_settings const& settings, instant asked);

} // namespace baton::trigger
