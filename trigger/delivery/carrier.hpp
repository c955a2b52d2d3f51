#pragma once

#include "libs/base/task_group.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/clients/routing.hpp"
#include "trigger/delivery/known_attempts.hpp"
#include "trigger/delivery/master_link.hpp"
#include "trigger/delivery/reporter.hpp"
#include "trigger/delivery/settings.hpp"
#include "trigger/membership/membership.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// The slave: takes assignments of the current master, chooses a client for each, and delivers them in groups over
// kept-alive connections, with one request to a client at a time. On the loop only.
//
// The carrier keeps an assignment until a client has it, until the client that it may have reached is gone, until a
// higher epoch is known (the new master asks the clients and assigns anew), or until this node's membership lapses (the
// other nodes may count it as gone). It answers a repeated assignment with what it knows, so the master may repeat.
class carrier {
public:
    struct dependencies {
        registry& clients;
        client_stub& stub;
        membership const& self;
        master_link const& master;
        known_epoch& epochs;
        known_attempts& known; // of the present epoch
        reporter& report;
        election_trace& trace;
        time_source& time;
        random_source& random;
    };
    carrier(dispatcher_settings settings, dependencies deps, asio::any_io_executor loop);

    // Takes as many as fit, from the front, and returns their number; 0 while this node may count as gone. The epoch
    // must be the current one.
    std::size_t accept(std::vector<protocol::assignment> batch);
    // The same for a message of another node, which may come late or twice. A message that does not count any more
    // changes nothing; its sender does not wait for the answer.
    std::size_t accept(protocol::assign_request message);

    // Forgets those of these executions that were not sent to any client, and returns them.
    std::vector<execution_id> withdraw(std::vector<execution_id> const& executions);

    void client_changed(); // a waiting execution may have a taker now
    void client_gone(std::string const& instance);

    // Executions that wait or are on their way to a client.
    std::size_t load() const { return waiting_ + under_way_; }

    awaitable<void> run();

private:
    struct delivery {
        protocol::assignment what;
        bool bound = false; // may have reached the client of its lane, so no other may get it
        instant since{};    // arrival
    };
    struct lane {
        std::deque<delivery> queue;
        bool sending = false;
        instant not_before{};
    };

    awaitable<void> work();
    void new_epoch(std::int64_t epoch);
    bool look_at_membership();
    bool may_deliver() { return look_at_membership() && deps_.master.may_deliver(); }
    void enqueue(protocol::assignment one, std::string const& owner);
    void route_waiting();
    void route(delivery one, std::map<std::string, std::vector<known_client*>>& able);
    void start(std::string const& instance, lane& to);
    awaitable<void> send_lane(std::string instance);
    std::string dispatch_text(std::vector<delivery>& group);
    awaitable<void> send_group(std::string instance, std::vector<delivery>& group);
    void trace(std::string const& instance, std::vector<delivery> const& group);
    void settle(std::string const& instance, std::vector<delivery>& group, protocol::dispatch_answer const& answer);
    void settle_one(std::string const& instance, delivery one, protocol::dispatch_ack const& answer);
    void back(std::vector<delivery>& group);
    void hold_back(std::string const& instance, std::vector<delivery>& group, bool maybe_there, std::string const& why);
    void let_go(std::string const& instance, std::vector<delivery>& group,
                std::optional<protocol::dispatch_answer> const& answer);
    void avoid(std::string const& instance, duration span);
    void drop_superseded();
    void give_back(delivery const& one, std::string const& client, std::string why);
    void drop_all(char const* why);
    void drop(std::string const& instance, std::deque<delivery>& queue);

    dispatcher_settings settings_;
    dependencies deps_;
    router_of_clients router_;
    std::map<std::string, std::deque<delivery>> pending_; // by service: no client can take it now
    std::map<std::string, lane> lanes_;                   // by client
    std::int64_t sent_ = 0;                               // dispatches to all clients
    std::size_t waiting_ = 0;
    std::size_t under_way_ = 0;
    std::uint64_t lapses_ = 0; // of this node's membership, when it was last looked at
    waker bell_;
    task_group senders_;
};

} // namespace baton::trigger
