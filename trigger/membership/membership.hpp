#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/nodes.hpp"
#include "trigger/membership/contact.hpp"
#include "trigger/membership/settings.hpp"
#include "trigger/membership/validity.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// The roster of nodes: writes this node's row and reads the rows of the others. On the loop only.
//
// A node that could not write its row for its ttl counts as gone for the other nodes, which hand on its executions. It
// must stop delivering before that: see valid().
class membership {
public:
    struct status {
        std::string role;
        int load_permille = 0;
        int clients = 0;
        std::string health = "{}"; // JSON: node_record::health
    };

    membership(membership_settings settings, storage::node_record self, storage::database& shared, time_source& time,
               std::function<status()> describe);

    // Returns when no node of another release lives (protocol::wire_revision). Until then this node must not join,
    // because it might lead nodes that refuse its messages.
    awaitable<void> await_one_release();

    // Writes the heartbeat and reads the roster until cancelled.
    awaitable<void> run();
    // Called after each reading, with the time before its request.
    using reading_watcher = std::function<void(storage::roster const& read, instant asked)>;
    void on_reading(reading_watcher watcher) { watcher_ = std::move(watcher); }

    // For a stand-in that repeats the heartbeat: called after each one with the row and the time before its request,
    // and before the row is removed.
    void on_beat(std::function<void(storage::node_record const&, instant asked)> watcher)
    {
        on_beat_ = std::move(watcher);
    }
    void before_leaving(std::function<awaitable<void>()> step) { before_leaving_ = std::move(step); }
    validity& period() { return valid_; }
    duration heartbeat() const { return settings_.heartbeat; }

    // Reads the roster now: a new master does not wait for the next heartbeat.
    awaitable<void> refresh();

    // Writes this node's row now, so that the others see a change before its next heartbeat. A failure is left to that.
    awaitable<void> show();

    // Marks this node as draining, in its row at once: no master assigns to it any more.
    awaitable<void> drain();
    // Writes no heartbeat until the others count this node as gone, and beats again after that: its membership lapses.
    // The assignments of a master that cannot reach it then go to other nodes. No effect while it lasts.
    void step_aside();
    // Ends that early. The heartbeats go on.
    void step_back();
    awaitable<void> leave();
    // Removes the row of a node that is gone.
    awaitable<void> remove(std::string incarnation);

    // May this node deliver? False from shortly before the others may count it as gone.
    bool valid() const;
    // Was it valid before, and is it not now?
    bool lapsed() const { return valid_.begun() && !valid(); }
    // The number of times that valid() became true again. In between, others may have counted this node as gone.
    std::uint64_t lapses() const { return valid_.lapses(); }

    std::vector<storage::node_record> const& all() const { return read_.nodes; }
    storage::node_record const* find(std::string const& incarnation) const; // null: unknown node
    // Two predicates, because the roster grows old while the database does not answer; both may be false.
    // alive: for choosing a node to call. As far as this node knows, that node lives.
    // gone: for handing on its executions. Readings showed its row silent for its ttl, or showed no row. Such a node
    // has stopped delivering, and drops its assignments when it beats again.
    bool alive(std::string const& incarnation) const;
    bool gone(std::string const& incarnation) const;
    // Does another node have its address by now, which beat three heartbeats later than this node did the last time?
    // It was killed and started again then, and no client can join the killed one any more.
    bool replaced(std::string const& incarnation) const;
    // Is there another node that lives and does not drain?
    bool has_peer() const;
    // Can this node report to the master, by its row?
    contact contact_of(std::string const& incarnation) const;
    // The other nodes to which clients may move: they live, do not drain, and can report to the master. In an order
    // that is the same at all nodes.
    std::vector<storage::node_record const*> takers() const;
    // Has the node not beaten for `span`, though it could have? This node must have read for as long without a break,
    // always the same heartbeat. The row's age alone proves nothing: after an outage, or if the database's clock is set
    // forward, the rows of living nodes are old too.
    bool silent_for(storage::node_record const& node, duration span) const;
    bool regular_for(duration span) const;
    storage::node_record const& self() const { return self_; }

private:
    // The heartbeat in a row, and since when this node has read the same.
    struct watched {
        utc_time heartbeat_at;
        instant since;
    };
    awaitable<void> beat();
    void watch(bool regular);
    void note_contacts();
    void note_revisions();
    duration longest_gap() const;

    // More members than usual: which nodes are alive follows from the times of all readings and writings.
    membership_settings settings_;
    storage::node_record self_;
    storage::nodes table_;
    time_source& time_;
    std::function<status()> describe_;
    reading_watcher watcher_;
    storage::roster read_;
    std::map<std::string, watched> watched_;  // by incarnation
    std::map<std::string, contact> contacts_; // of the nodes that are not steady, by incarnation
    std::set<std::string> other_revision_;    // incarnations of which the log has told
    instant asked_at_{};                      // of read_
    instant read_at_{};
    instant regular_since_{}; // the first answer of the present unbroken series of readings
    validity valid_;
    instant aside_until_{};
    std::function<void(storage::node_record const&, instant asked)> on_beat_;
    std::function<awaitable<void>()> before_leaving_;
};

} // namespace baton::trigger
