#pragma once

#include "libs/base/task_group.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/clients/home_clients.hpp"
#include "trigger/clients/stamps.hpp"
#include "trigger/delivery/client_probes.hpp"
#include "trigger/delivery/delivery_right.hpp"
#include "trigger/delivery/delivery_rules.hpp"
#include "trigger/delivery/known_attempts.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/local_slave.hpp"
#include "trigger/delivery/lost_work.hpp"
#include "trigger/delivery/reach_record.hpp"
#include "trigger/delivery/recalls.hpp"
#include "trigger/delivery/reporter.hpp"
#include "trigger/delivery/settings.hpp"
#include "trigger/election/election_trace.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Why an execution fails that clients refuse for its size.
inline constexpr char refuses_this_size[] = "the client refuses a message of this size (status 413)";

// The slave: takes assignments of the current master for the clients of this node, chooses a client for each, and
// delivers them in groups over kept-alive connections, with one request to a client at a time. Nothing waits here for a
// client of another owner: an assignment that no client can take goes back to the master at once. On the loop only.
//
// The dispatcher keeps an assignment until a client has it, until the client that it may have reached is gone or has
// another home, until a higher epoch is known (the new master asks the clients and assigns anew), or until this node's
// membership lapses (the other nodes may count it as gone). It answers a repeated assignment with what it knows, so the
// master may repeat.
class dispatcher final : public local_slave {
public:
    // More members than usual: the delivery of an execution touches every part of the slave.
    struct dependencies {
        home_clients& clients;
        client_calls& calls;
        delivery_right const& right;
        reach_record& reach;   // of this node's clients, for people
        trigger::lanes& lanes; // of this node's clients
        known_attempts& known; // of the present epoch
        reporter& report;
        stamps const& given;
        election_trace& trace;
        time_source& time;
    };
    // `ttl`: a client that is heard but answers no call for this long is declared gone.
    dispatcher(dispatcher_settings settings, duration ttl, dependencies deps, asio::any_io_executor loop);

    std::size_t accept(protocol::assign_request message) override;
    std::vector<execution_id> withdraw(std::vector<execution_id> const& executions) override;
    protocol::capacity_message capacity() override { return deps_.lanes.all(); }

    // A higher epoch than before is known. The assignments of the older one are void.
    void new_epoch();

    // The row of this client was read or written: it may have become one of this node's clients, or ceased to be one.
    void client_changed(std::string const& instance);
    void client_gone(std::string const& instance);
    // Its result is durable; `instance` has sent it, perhaps for another client of its service.
    void execution_ended(std::string const& instance, protocol::attempt_key const& which);
    void ended(std::vector<protocol::attempt_key> const& which) override;
    // Results of this client have come, and are not recorded yet.
    void results_came(std::string const& instance, std::vector<protocol::result_report> const& results);
    void told_free_slots(std::string const& instance, int free); // by a heartbeat
    // It has registered, and told what it gave back lately.
    // By a registration.
    void may_have_given_back(std::string const& instance, std::vector<protocol::attempt_key> which);
    void has(std::string const& instance, std::vector<protocol::attempt_key> which);
    void client_returned(std::string const& instance); // it can be called again
    void question_failed(std::string const& instance, std::string const& why);
    void question_waits(std::string const& instance); // until the client has proved itself at its address
    void question_answered(std::string const& instance);

    // For a node that stops. Gives back what waits for clients that cannot be called before they have proved
    // themselves, and what waits behind a request that has no answer yet, which concerns only its own group.
    void give_back_stuck();

    // The free slots and executions of one of this node's clients; nullopt for another client.
    std::optional<lane_figures> figures(std::string const& instance) const;
    // Executions that wait or are on their way to a client.
    std::size_t load() const { return waiting_ + under_way_; }

    awaitable<void> run();

private:
    awaitable<void> work();
    bool look_at_membership();
    void look_at_lanes();
    void return_too_many(client_lane& lane);
    bool may_deliver() { return look_at_membership() && deps_.right.term_lets_deliver(); }
    void take_one(protocol::assignment one, std::int64_t number, assignment_step step);
    void place(delivery one);
    void place_elsewhere(client_lane& lane);
    void put(client_lane& lane, delivery one);
    void put_back(client_lane& lane, std::vector<delivery>& group);
    client_lane* lane_for(delivery const& one);
    void tell_refusals(delivery const& one);
    void wake(std::string const& instance);
    void start(std::string const& instance);
    void proved(std::string const& instance);
    void answered(std::string const& instance);
    void note_answer(std::string const& instance);
    void became_reachable(client_lane& lane);
    void show_reach(client_lane const& lane, std::string const& cause = {});
    void failed(std::string const& instance, std::string const& why);
    awaitable<void> send_lane(std::string instance);
    std::string dispatch_text(std::int64_t generation, std::vector<delivery>& group);
    awaitable<void> send_group(std::string instance, std::vector<delivery>& group);
    void trace(std::string const& instance, std::vector<delivery> const& group);
    void settle(std::string const& instance, std::vector<delivery>& group, protocol::dispatch_answer const& answer);
    void settle_one(std::string const& instance, delivery one, ack_meaning const& meaning);
    void lessen(std::string const& instance, std::string const& handler, ack_meaning const& by);
    void too_large(std::string const& instance, std::vector<delivery>& group);
    void give_back_old(client_lane& lane);
    void hold_back(std::string const& instance, std::vector<delivery>& group, bool maybe_there, std::string const& why);
    bool settle_ended(client_lane const& lane, delivery const& one);
    bool settle_once(std::string const& instance, delivery const& one, std::string const& why);
    void move_on(std::string const& instance, delivery one, bool gone, std::string const& why);
    void let_go(std::string const& instance, std::vector<delivery>& group,
                std::optional<protocol::dispatch_answer> const& answer);
    void return_all(client_lane& lane, protocol::return_cause bound, char const* why);
    void drop_superseded(std::set<std::uint64_t> const& in);
    void give_back(delivery const& one, protocol::return_cause cause, std::string const& client, std::string why);
    void drop_all(char const* why);
    void drop(std::string const& instance, delivery const& one);

    // More members than usual: the life of a delivery touches them all.
    dispatcher_settings settings_;
    duration ttl_;
    dependencies deps_;
    client_probes probes_;
    std::set<std::string> ready_;    // clients with executions that may go out
    std::set<std::string> slotless_; // clients whose next execution waits for a free slot
    std::int64_t sent_ = 0;          // dispatches to all clients, and recalls
    std::size_t waiting_ = 0;
    std::size_t under_way_ = 0;
    std::uint64_t lapses_ = 0; // of this node's membership, when it was last looked at
    waker bell_;
    task_group senders_;
    lost_work lost_;
    recalls recalls_;
};

} // namespace baton::trigger
