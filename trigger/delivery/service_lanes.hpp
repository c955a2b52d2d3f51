#pragma once

#include "trigger/delivery/client_lane.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The clients of one service at this node: the list of those that serve a handler, and the sums of what they take. Both
// are kept up with each change, at a cost that does not grow with the number of clients (but for moving pointers in a
// list). A client is told of before it changes or goes, and after it has changed. On the loop only.
class service_lanes {
public:
    // The clients that meet one demand, in order of instance.
    struct pool {
        std::vector<client_lane*> clients;
        std::size_t turn = 0; // of the round robin: an index
    };

    void enter(client_lane& lane);
    void leave(client_lane const& lane); // with the handlers that it had when it entered
    // It may take more or less than before, of the same handlers.
    void recount(client_lane const& lane);

    bool empty() const { return members_.empty(); }
    // Null if no client meets the demand (protocol::demand_for). Valid until a client enters or leaves.
    pool* find(std::string const& demand);
    // The sums of what the clients take, by set of handlers, without the sets that take nothing.
    std::vector<protocol::handler_capacity> capacity() const;

private:
    struct sum {
        int slots = 0;
        int places = 0;
        std::size_t clients = 0;
    };
    using sums = std::map<std::set<std::string>, sum>; // by set of handlers
    struct member {
        client_lane* lane = nullptr;
        sums::iterator sum{};
        int slots = 0; // as counted in the sum
        int places = 0;
    };
    static void update_sum(member& client);

    std::map<std::string, member> members_; // by instance
    sums sums_;
    std::unordered_map<std::string, pool> pools_; // by demand, of those that were looked for
};

} // namespace baton::trigger
