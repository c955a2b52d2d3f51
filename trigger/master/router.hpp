#pragma once

#include "libs/protocol/route.hpp"
#include "trigger/master/client_directory.hpp"
#include "trigger/master/hash_ring.hpp"
#include "trigger/master/open_set.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace baton::trigger {

// Chooses the client of an execution where that needs a view of the whole service: for the routings first, last,
// failover, consistent_hash and instance, and for further attempts on the same or another client. All other choices are
// made by the homes. Part of a term.
class router {
public:
    // `has_room`: would the client take an execution now, as far as the master knows?
    router(client_directory& clients, std::function<bool(listed_client const&)> has_room)
        : clients_(clients), has_room_(std::move(has_room))
    {}

    static bool decides(open_execution const& one);
    // Clients at which it has looked.
    std::uint64_t looks() const { return looks_; }
    // Null if no client fits: the execution waits for one. Room counts only where several clients fit equally well.
    listed_client const* choose(open_execution const& one);
    // May an execution for which the client was chosen still go there?
    static bool keeps(listed_client const& client, std::string const& demand)
    {
        return !client.draining && client.serves(demand);
    }

private:
    using all = std::vector<listed_client const*>;
    struct ring {
        all members;
        hash_ring points;
    };
    all const& candidates(open_execution const& one);
    listed_client const* among(all const& clients, open_execution const& one, std::string const& avoided);
    listed_client const* hashed(open_execution const& one, std::string const& avoided);
    listed_client const* spread(std::span<listed_client const* const> clients, open_execution const& one,
                                std::function<bool(listed_client const*)> const& fits) const;
    ring const& ring_for(open_execution const& one);
    bool is_served(open_execution const& one);
    void drop_outdated();

    client_directory& clients_;
    std::function<bool(listed_client const&)> has_room_;
    // By service and demand, until the directory changes.
    using demands = std::pair<protocol::service_key, std::string>;
    std::map<demands, ring> rings_;
    std::map<demands, all> rare_; // the clients that meet a demand that few of their service meet
    std::size_t members_ = 0;     // of all rings
    std::uint64_t looks_ = 0;
    std::uint64_t changes_ = 0; // of the directory when they were made
};

} // namespace baton::trigger
