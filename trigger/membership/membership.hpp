#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/nodes.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// Who else carries: this node's row, and its view of the others'. On the loop only.
//
// It is also this node's own leash: a node that could not write its row for its ttl counts as gone for the others, who
// hand its executions on, so it must itself stop delivering before that.
class membership {
public:
    struct status {
        std::string role;
        int load_permille = 0;
        int clients = 0;
    };

    membership(membership_settings settings, storage::node_record self, storage::database& shared, time_source& time,
               std::function<status()> describe);

    // Beats and reads until cancelled.
    awaitable<void> run();
    // Called after each reading, which was asked for at `asked`.
    using reading_watcher = std::function<void(storage::roster const& read, instant asked)>;
    void on_reading(reading_watcher watcher) { watcher_ = std::move(watcher); }

    // Reads the others once, now: for a new master, who must not wait for a tick.
    awaitable<void> refresh();

    // From now on: nothing new for this node. The row says so at once.
    awaitable<void> drain();
    awaitable<void> leave();
    // The row of a node that is gone.
    awaitable<void> remove(std::string incarnation);

    // May this node deliver? False from shortly before its row counts as silent.
    bool valid() const;
    // How often it was not, and then was again: others may have counted this node as gone in between.
    std::uint64_t lapses() const { return lapses_; }

    std::vector<storage::node_record> const& all() const { return read_.nodes; }
    storage::node_record const* find(std::string const& incarnation) const; // null: unknown
    // Two questions, because a view grows old while the database does not answer. For choosing whom to call: as far as
    // this node knows, it lives. For handing on what it has: it counts as gone, because readings showed its row silent
    // for its ttl, or showed no row. Such a node has stopped delivering, and lets go of what it had when it beats
    // again. Neither may hold.
    bool alive(std::string const& incarnation) const;
    bool gone(std::string const& incarnation) const;
    // It has not beaten for so long, though it could have: this node has read without a break for as long, always the
    // same heartbeat. The row's age alone proves nothing: after an outage, or when the database's clock is set forward,
    // everybody's row is old, whoever lives.
    bool silent_for(storage::node_record const& node, duration span) const;
    bool regular_for(duration span) const;
    storage::node_record const& self() const { return self_; }

private:
    // A heartbeat as the rows tell it, and since when this node has read no other.
    struct watched {
        utc_time heartbeat_at;
        instant since;
    };
    awaitable<void> beat();
    void watch(bool regular);
    duration longest_gap() const;

    membership_settings settings_;
    storage::node_record self_;
    storage::nodes table_;
    time_source& time_;
    std::function<status()> describe_;
    reading_watcher watcher_;
    storage::roster read_;
    std::map<std::string, watched> watched_; // by incarnation
    instant asked_at_{};                     // of read_
    instant read_at_{};
    instant regular_since_{}; // the first answer of the present unbroken series of readings
    instant valid_until_{};
    std::uint64_t lapses_ = 0;
};

} // namespace baton::trigger
