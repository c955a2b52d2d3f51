#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/service_key.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// The master's assignments to each node: their numbers and those without an answer, the services that wait for such
// answers, the nodes that are avoided after a failure, and when each has reported. Part of a term.
class node_traffic {
public:
    static constexpr std::size_t most_open = 8; // assignments to one node that are not answered yet

    // Of the next assignment, to whatever node: numbers rise over the whole term.
    std::int64_t next_number() const { return next_; }

    struct numbering {
        std::int64_t number = 0;
        std::vector<std::int64_t> open; // lower numbers that are neither answered nor given up
    };
    numbering number(std::string const& node);
    // The request with this number has begun, and has ended: it is answered or given up.
    void began(std::string const& node, std::int64_t number) { nodes_[node].open.insert(number); }
    void ended(std::string const& node, std::int64_t number);

    // May no further assignment go to this node before one is answered?
    bool busy(std::string const& node) const;
    // The service has work for this node, which is busy.
    void stall(std::string const& node, protocol::service_view service);
    // The services that waited for the node. They do not wait any more.
    protocol::service_set unstall(std::string const& node);

    // The node could not be reached, or refused.
    void avoid(std::string const& node, instant until) { avoided_[node] = until; }
    bool avoided(std::string const& node, instant now);

    // A report of the node has arrived.
    void heard(std::string const& node, instant now) { heard_[node] = now; }
    bool heard_since(std::string const& node, instant from) const;

private:
    struct traffic {
        std::set<std::int64_t> open;
    };
    std::int64_t next_ = 1;
    std::map<std::string, traffic> nodes_;
    std::map<std::string, protocol::service_set> stalled_;
    std::map<std::string, instant> avoided_;
    std::map<std::string, instant> heard_;
};

} // namespace baton::trigger
