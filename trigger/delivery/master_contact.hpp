#pragma once

#include "libs/lease/lease_store.hpp"
#include "trigger/clients/home_watches.hpp"
#include "trigger/membership/contact.hpp"
#include "trigger/membership/membership.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// The master, if it is another node, as this node sees it.
struct master_sight {
    instant since{};          // the lock row has named it, and this node has not stood still
    instant renewed_at{};     // the lease, by the last renewal that this node has seen
    instant took_report_at{}; // of this node
};

// Has this master lived on for a while without taking a report of this node? A master that has died renews nothing
// after the last report that it took, so its silence does not count. Pure.
bool is_silent(master_sight const& master, instant now);

struct contact_state {
    contact now = contact::steady;
    instant silent_at{}; // last
};
// A node that was cut off is steady again only after a while, so that clients do not come and go with a link that
// fails again and again. Pure.
contact_state next_contact(contact_state before, bool silent, instant now);

// Watches whether the master takes this node's reports. Without them the master gives the node no work, so a node that
// is cut off sends its clients to nodes that are not, and takes no further ones while there is such a node. It also
// lets its membership lapse, because the master cannot learn which of the last assignments have arrived here: it
// assigns them to other nodes once this one counts as gone. A node that leads is never cut off. On the loop only.
class master_contact {
public:
    struct dependencies {
        membership& nodes;
        home_watches& watches;
        std::function<bool()> leads;       // does this node?
        std::function<void()> show_change; // to the other nodes
        time_source& time;
    };
    explicit master_contact(dependencies deps) : deps_(std::move(deps)) {}

    // The lock row was read by a request sent at `asked`.
    void read_row(lease::lease_row const& row, instant asked);
    // This node, which another one knows as the master, has taken a report.
    void took_report(std::string const& master);

    contact state() const { return state_.now; }

    // Should this client, which has another home or none, register with another node? Not for ever: a client that
    // keeps asking reaches no better node.
    bool refuses(std::string const& instance);

    // Until cancelled.
    awaitable<void> run();

private:
    void look();
    void change(contact before);
    void step_aside();

    dependencies deps_;
    std::string master_; // incarnation of the other node that leads; empty: none is known
    std::int64_t epoch_ = 0;
    std::int64_t renewal_ = 0;
    instant asked_at_{}; // for the row, last
    master_sight sight_;
    contact_state state_;
    instant looked_at_{};
    instant aside_from_ = instant::max();
    std::unordered_map<std::string, instant> refused_; // instances, since when
};

} // namespace baton::trigger
