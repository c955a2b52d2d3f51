#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/service_key.hpp"

#include <cstdint>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace baton::trigger {

// The capacity of one node for one service, at its clients that serve one set of handlers. There can be very many
// credits, so they share names and sets of handlers, and a credit has 48 bytes.
struct credit {
    std::string const* node = nullptr;
    protocol::service_key const* service = nullptr;
    instant closed_until{}; // the node returned work: its next capacity message is on the way
    std::int64_t heard = 0; // the number of the node's last capacity message about this service
    int slots = 0;          // by the node's last capacity message, as `places`
    int places = 0;         // by the node's last capacity message: an absolute number, those in use included
    int used = 0;           // executions that the master has assigned there and that have not ended
    int turn = 0;           // of the weighted rotation
    int free() const { return places - used; }
    int left(int credit::*limit) const { return this->*limit - used; }
};

// How much work each node can take, service by service, as the nodes have told. The master gives a node no more than
// that, so work that no client can take waits at the master and not in front of another service's work. Part of a term.
class credits {
public:
    // Replaces what the node reported about these services before. Returns the services that were named. A message that
    // is older than the last one about a service does not count.
    std::vector<protocol::service_key> hear(std::string const& node, protocol::capacity_message const& message);
    // The node is gone: nothing more goes there. It may come back, and is told then that it is to tell everything
    // again.
    void forget(std::string const& node);
    int times_forgotten(std::string const& node) const;
    std::size_t size() const;
    std::set<std::string> const& nodes() const { return nodes_; } // that have told something

    struct choice {
        trigger::credit* credit = nullptr;
        int room = 0;                 // how many of the wanted executions it takes
        std::optional<instant> again; // without a credit: when one that is closed opens
    };
    using node_filter = std::function<bool(std::string const& node)>;
    // A credit for up to `wanted` executions of a demand (protocol::demand_for), at a node that `usable` accepts. Nodes
    // take turns in proportion (the smooth weighted round robin of nginx), first by their free slots and then by the
    // places in the queues of their clients: a client whose slots all hang gets nothing while another has a free one.
    // Many executions are spread over all.
    choice choose(protocol::service_view service, std::string const& handler, int wanted, instant now,
                  node_filter const& usable);
    // The credit that an execution at a client of this node uses; null if the node has told of none.
    credit* at(std::string const& node, protocol::service_view service, std::string const& handler);

    static void use(trigger::credit& credit, int count = 1) { credit.used += count; }
    static void release(trigger::credit& credit) { --credit.used; }

private:
    // The credits of the nodes whose clients have the same handlers and tags.
    struct handler_class {
        std::vector<std::string> offers; // handlers and tags (libs/protocol/offers.hpp), in order, each once
        std::forward_list<credit> nodes; // executions refer to those that they use
        bool meets(std::string const& demand) const;
    };
    using classes_by_demand = std::unordered_map<std::string, std::vector<handler_class*>>;
    struct service_credits {
        std::list<handler_class> classes;
        std::unique_ptr<classes_by_demand> by_demand; // of a service with many classes, kept until a class is new
    };
    static handler_class& class_of(service_credits& service, std::vector<std::string> offers);
    static credit& credit_of(handler_class& all, std::string const& node, protocol::service_key const& service);
    static std::int64_t last_word(service_credits const& service, std::string const& node);
    void tidy(service_credits& service, std::string const& node, std::int64_t word) const;
    static choice turn(std::vector<credit*> const& among, int wanted, int credit::*limit);
    // Calls `visit` with each class that meets the demand.
    template <class Visit>
    static void each_serving(service_credits& service, std::string const& demand, Visit visit);

    protocol::service_table<service_credits> services_;
    std::set<std::string> nodes_;
    std::map<std::string, int> forgotten_;  // how often, of all nodes of this term
    std::unordered_set<std::string> names_; // of all nodes of this term: credits refer to them
};

} // namespace baton::trigger
