#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/delivery/settings.hpp"
#include "trigger/master/admissions.hpp"
#include "trigger/master/assignment_rules.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/credits.hpp"
#include "trigger/master/doubts.hpp"
#include "trigger/master/execution_limits.hpp"
#include "trigger/master/fire_mark.hpp"
#include "trigger/master/late_sends.hpp"
#include "trigger/master/named_credits.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/node_traffic.hpp"
#include "trigger/master/past_reader.hpp"
#include "trigger/master/paused_services.hpp"
#include "trigger/master/ready_queue.hpp"
#include "trigger/master/repeater.hpp"
#include "trigger/master/router.hpp"
#include "trigger/master/term_scope.hpp"

#include <string>
#include <vector>

namespace baton::trigger {

// Fires: gives each execution at its instant to a node whose clients have room for it, in groups, with one request for
// each group. This node's own dispatcher takes its share by a call. What no node can take waits in the ready queue.
// Part of a term.
class assigner final : public repeater {
public:
    struct dependencies {
        membership const& nodes;
        local_slave& here;
        node_calls& calls;
        election_trace& trace;
        trigger::credits& credits;
        trigger::ready_queue& ready;
        completion_queue& completions;
        doubts& in_doubt;
        attempts& next;
        trigger::admissions& admissions;
        fire_mark& mark;
        paused_services& paused;
        execution_limits& limits;
        past_reader& past;
        watermark& out;
        late_sends& late;
    };
    assigner(dispatcher_settings settings, term_scope const& scope, dependencies deps);

    awaitable<void> run();

    // Nothing due after `limit` fires until the signals have been read again. So this master knows a committed edit
    // before any firing that the edit takes back.
    void may_fire_until(utc_time limit);

    void repeat(std::string const& node, std::vector<execution_id> ids) override;

    // A node has told what it can take.
    void hear(std::string const& node, protocol::capacity_message const& message);
    // A credit of this service has become free.
    void released(protocol::service_view service);
    // A node could not place the execution, perhaps because its clients `refused` its size. Counts only for the latest
    // assignment that named it.
    void returned(open_execution& one, std::string const& node, std::int64_t number, bool refused = false);

    // Its client has given it back before it began.
    void given_back(open_execution& one);

    // The number of the next assignment. From that number on, no assignment names an execution of which this master has
    // a report by now.
    std::int64_t next_number() const { return traffic_.next_number(); }

private:
    static constexpr duration assigning_need = 100ms; // time that assigning a group may take
    static constexpr duration full_pause = 50ms; // before a node that returned work is given more, or says so earlier

    awaitable<void> fire();
    void collect(utc_time now);
    bool is_marked(open_execution& one);
    void distribute(utc_time now);
    ready_queue::placement place(protocol::service_view service, ready_queue::need const& what,
                                 std::deque<execution_id> const& first, std::size_t most, utc_time round);
    struct room_left {
        int places = 0;
        int slots = 0;
    };
    void mark_late(protocol::service_view service, std::deque<execution_id> const& first, std::size_t begin,
                   room_left there);
    bool fail_if_gone(open_execution& one);
    bool skip_if_late(open_execution& one, utc_time now);
    bool may_go(open_execution& one, utc_time now);
    void give_here(std::vector<execution_id> ids, bool maybe_there);
    protocol::assign_request make_request(std::string const& node, std::vector<protocol::attempt_key> const& given);
    // Where an execution goes, and how many of them have room there.
    struct destination {
        credits::choice to;
        std::string node;
        named_credit* named = nullptr;
        listed_client const* client = nullptr; // of a need that names one
        bool full = false;                     // the client that is named has all that it takes
    };
    destination destination_of(protocol::service_view service, ready_queue::need const& what, int wanted);
    destination named_destination(protocol::service_view service, ready_queue::need const& what, int wanted);
    bool free_to_ask(std::string const& node, protocol::service_view service);
    ready_queue::need need_of(open_execution& one);
    ready_queue::need client_need(open_execution& one);
    static bool needs_slot(open_execution const& one);
    static int free_slots(destination const& there);
    static bool is_unrouted(ready_queue::need const& what);
    ready_queue::placement route_again(std::deque<execution_id> const& first, std::size_t most, utc_time round);
    bool is_misrouted(open_execution const& one, listed_client const* client);
    bool usable(std::string const& node);
    void hand_over(std::string const& node, std::vector<execution_id> ids, bool maybe_there);
    void spawn(std::string const& node, std::vector<execution_id> ids, bool maybe_there);
    awaitable<void> send(std::string node, std::vector<execution_id> ids, bool maybe_there);
    void settle(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t accepted,
                assignment_end end);
    std::vector<protocol::attempt_key> assigned_to(std::string const& node, std::vector<execution_id> const& ids);
    bool still_assigned(std::string const& node, protocol::attempt_key const& which);
    void taken(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t count);
    void come_back(execution_id id, duration pause);
    void fire_again(std::string const& node, std::vector<protocol::attempt_key> const& given);
    void trace(std::string const& node, std::vector<execution_id> const& executions);

    dispatcher_settings settings_;
    term_scope scope_;
    dependencies deps_;
    utc_time limit_{}; // of may_fire_until
    node_traffic traffic_;
    named_credits named_;
    router router_;
    task_group senders_;
};

} // namespace baton::trigger
