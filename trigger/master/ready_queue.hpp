#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/service_key.hpp"

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::trigger {

// Due executions that wait for a client with room, by service and by what they need of a client. Services take turns
// with a fixed quantum (deficit round robin; M. Shreedhar and G. Varghese, 1995, with executions of cost one), so a
// million of one service delay no other. Those of a need go in the order of their places in line. A service whose work
// found no room is not looked at again before it is unblocked, or before the time that its last try named. Part of a
// term.
class ready_queue {
public:
    struct need {
        protocol::client_choice choice = protocol::client_choice::round_robin;
        std::string handler;  // and tag: protocol::demand_for
        std::string instance; // for client_choice::instance
        bool forced = false;  // a pause does not keep it back
        auto operator<=>(need const&) const = default;
    };

    ready_queue() = default; // for executions of one priority
    // `place_in_line` tells the order of executions of different priorities. Those of one go in the order of put().
    explicit ready_queue(std::function<utc_time(execution_id)> place_in_line) : place_in_line_(std::move(place_in_line))
    {}

    void put(protocol::service_view service, need const& what, execution_id execution, int priority = 0);

    // How many of the first executions were placed or dropped; `again`: when to try the rest, if ever without a
    // wake-up.
    struct placement {
        std::size_t taken = 0;
        std::optional<instant> again;
        bool park = false; // the rest waits for the client that is named: see unpark
    };
    // Sees the executions in order and as many as the quantum allows.
    using place_function = std::function<placement(protocol::service_view service, need const& what,
                                                   std::deque<execution_id> const& first, std::size_t most)>;
    // Gives the next service that may find room its turn. Returns the number of executions and of lines without room
    // that it looked at; nothing if there is no such service.
    std::optional<std::size_t> turn(std::size_t quantum, place_function const& place);

    // What waits for this client is looked at again. Otherwise parked executions are looked at only with their `again`.
    bool unpark(protocol::service_view service, std::string const& instance);
    // False if nothing of the service waits.
    bool unblock(protocol::service_view service);
    // Unblocks the services whose time has come, with what is parked there.
    void unblock_due(instant now);
    std::optional<instant> next_unblock() const;
    bool any_active() const { return !turns_.empty(); }

    std::size_t size() const { return size_; }
    std::size_t waiting(protocol::service_view service) const;

private:
    using by_priority = std::map<int, std::deque<execution_id>>; // none of them empty
    struct lane {
        std::map<need, by_priority> queues;
        std::deque<need> order;                          // of the queues that are not parked, each once
        std::map<std::string, std::vector<need>> parked; // by instance
        std::size_t idle = 0;                            // queues in a row that found no room
        std::size_t size = 0;
        bool active = false;
        std::optional<instant> retry_at; // the earliest of retries_
    };
    void activate(protocol::service_view service, lane& which);
    placement place_first(protocol::service_view service, need const& what, by_priority& queue, std::size_t most,
                          place_function const& place);
    std::vector<int> first_priorities(by_priority const& queue, std::size_t most) const;

    std::function<utc_time(execution_id)> place_in_line_;
    protocol::service_table<lane> lanes_;
    std::deque<protocol::service_key> turns_; // services that may find room
    std::multimap<instant, protocol::service_key> retries_;
    std::size_t size_ = 0;
};

} // namespace baton::trigger
