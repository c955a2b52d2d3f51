#pragma once

#include "libs/base/task_group.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/clients/routing.hpp"
#include "trigger/delivery/known_attempts.hpp"
#include "trigger/delivery/reporter.hpp"
#include "trigger/election/election_trace.hpp"
#include "trigger/membership/membership.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// The slave: takes assignments of the current master, chooses a client for each, and delivers them in groups over
// kept-alive connections, one request a client at a time. On the loop only.
//
// What it has taken it keeps until a client has it, the client it may have reached is gone, a higher epoch is heard of
// (the new master asks the clients and assigns anew), or this node's own membership lapses (the others may count it as
// gone). It answers a repeated assignment with what it knows, so the master may repeat.
class carrier {
public:
    carrier(dispatcher_settings settings, registry& clients, client_stub& stub, membership const& self,
            reporter& report, time_source& time, random_source& random, asio::any_io_executor loop);

    // Takes the first of them that fit and returns how many; none while this node may count as gone. The epoch must be
    // the current one.
    std::size_t accept(std::vector<protocol::assignment> batch);
    // The same for a message from another node, which may come late or twice: what no longer counts is not looked at,
    // and nobody waits for the answer.
    std::size_t accept(protocol::assign_request message);

    // Everything taken under an older epoch is void.
    void new_epoch(std::int64_t epoch);
    std::int64_t epoch() const { return epoch_; }

    // Forgets what has not been sent to any client; returns those.
    std::vector<execution_id> withdraw(std::vector<execution_id> const& executions);

    // The master has heard what became of it: no message with this number or a higher one assigns it again.
    void acknowledged(protocol::attempt_key const& which, std::int64_t from);

    // Asked before each group: not now means later.
    void deliver_while(std::function<bool()> allowed) { allowed_ = std::move(allowed); }
    // Called before each group is sent to a client.
    void on_departure(departure_watcher watcher) { leaving_ = std::move(watcher); }

    void client_changed(); // someone may take what waits
    void client_gone(std::string const& instance);

    // How many wait or are on their way.
    std::size_t load() const { return waiting_ + under_way_; }

    awaitable<void> run();

private:
    struct delivery {
        protocol::assignment what;
        bool bound = false; // may have reached the client of the lane it is in
        instant since{};    // when it came
    };
    struct lane {
        std::deque<delivery> queue;
        bool sending = false;
        instant not_before{};
    };

    awaitable<void> work();
    bool look_at_membership();
    bool may_deliver() { return look_at_membership() && (!allowed_ || allowed_()); }
    void enqueue(protocol::assignment one, std::string const& owner);
    void route_waiting();
    void route(delivery one, std::map<std::string, std::vector<known_client*>>& able);
    void start(std::string const& instance, lane& to);
    awaitable<void> send_lane(std::string instance);
    std::string dispatch_text(std::vector<delivery>& group);
    awaitable<void> send_group(std::string instance, std::vector<delivery>& group);
    void tell_of_departure(std::string const& instance, std::vector<delivery> const& group) const;
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
    registry& clients_;
    client_stub& stub_;
    membership const& self_;
    reporter& report_;
    time_source& time_;
    router_of_clients router_;
    std::function<bool()> allowed_;
    departure_watcher leaving_;
    std::int64_t epoch_ = 0;
    std::map<std::string, std::deque<delivery>> pending_; // by service: no client can take it now
    std::map<std::string, lane> lanes_;                   // by client
    known_attempts known_;                                // of this epoch
    std::int64_t sent_ = 0;                               // dispatches, over all clients
    std::size_t waiting_ = 0;
    std::size_t under_way_ = 0;
    std::uint64_t lapses_ = 0; // of this node's membership, as of the last look
    waker bell_;
    task_group senders_;
};

} // namespace baton::trigger
