#pragma once

#include "trigger/delivery/client_lane.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The clients of one service at this node: those that serve a handler, sorted by what they take, and the sums of what
// they take. Both are updated at each change, at a cost that does not grow with the number of clients (except for
// moving pointers in a list). The owner reports a client before it changes or goes, and after it has changed. On the
// loop only.
class service_lanes {
public:
    struct instance_order {
        bool operator()(client_lane const* one, client_lane const* other) const
        {
            return one->who().instance < other->who().instance;
        }
    };
    using ordered = std::set<client_lane*, instance_order>;
    // The clients that meet one demand.
    struct pool {
        std::vector<client_lane*> clients; // in order of instance
        ordered with_slot;                 // those that have a free slot
        ordered with_slot_later;           // those that have one, and have not answered their last requests yet
        ordered with_place;                // those that have only a place in their queues
        std::size_t turn = 0;              // of the round robin: an index of `clients`
        std::string demand{};

        ordered* of(lane_room what); // null for those that take nothing
        // The next turn is that of the client behind this one.
        void turn_after(client_lane const& lane);
    };

    void enter(client_lane& lane);
    void leave(client_lane& lane); // with the handlers that it had when it entered
    // It may take more or less than before, of the same handlers.
    void recount(client_lane const& lane);

    bool empty() const { return members_.empty(); }
    // Null if no client meets the demand (protocol::demand_for). Valid until a client enters or leaves. Counts in
    // `looks` the clients that it looks at, which are none once the demand is known.
    pool* find(std::string const& demand, std::uint64_t& looks);
    // The sums of what the clients take, by set of handlers, without the sets that take nothing.
    std::vector<protocol::handler_capacity> capacity() const;

private:
    struct sum {
        int slots = 0;
        int places = 0;
        std::size_t clients = 0;
    };
    using sums = std::map<std::set<std::string>, sum>; // by set of handlers
    struct member final : client_lane::watcher {
        void room_changed(client_lane& of, lane_room before) override;
        client_lane* lane = nullptr;
        sums::iterator sum{};
        int slots = 0; // as counted in the sum
        int places = 0;
        std::vector<pool*> pools; // in which the client is
    };
    static void update_sum(member& client);
    static void add_client(member& client, pool& into);
    static void add_pool(member& client, pool& into);

    std::map<std::string, member> members_; // by instance
    sums sums_;
    std::unordered_map<std::string, pool> pools_; // by demand, of those that were looked for; members refer to them
};

} // namespace baton::trigger
