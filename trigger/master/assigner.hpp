#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/term_scope.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Fires: gives each execution to a slave at its instant, in groups, with one request for each group. This node's own
// carrier takes its share by a call. Part of a term.
class assigner {
public:
    struct dependencies {
        node_parts node;
        completion_queue& completions;
        in_doubt_resolver& in_doubt;
    };
    assigner(dispatcher_settings settings, term_scope const& scope, dependencies deps);

    awaitable<void> run();

    // Nothing due after `limit` fires until the signals have been read again. So this master knows a committed edit
    // before any firing that the edit takes back.
    void may_fire_until(utc_time limit);

    // Assigns these to the same node again, which has been silent about them for long. It answers with what it knows.
    void repeat(std::string const& node, std::vector<execution_id> ids);

    awaitable<void> cancel_at_client(std::string instance, std::vector<execution_id> ids);

    // Takes back the executions that the node has not sent to a client. Empty if the node does not answer.
    awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids);

    // The number of the next assignment to this node. From that number on, no assignment names an execution of which
    // this master has a report by now.
    std::int64_t next_number(std::string const& node) const;

private:
    // The numbers of the assignments to one slave: the next, and those that are neither answered nor given up.
    struct numbers {
        std::int64_t next = 1;
        std::set<std::int64_t> open;
    };
    awaitable<void> fire();
    awaitable<std::optional<http::response>> ask(storage::node_record const& whom, protocol::assign_request request,
                                                 bool& maybe_there);
    void distribute(std::vector<execution_id> ids);
    void give(std::string const& node, std::vector<execution_id> ids);
    void hand_over(std::string const& node, std::vector<execution_id> ids, bool maybe_there);
    awaitable<void> send(std::string node, std::vector<execution_id> ids, bool maybe_there);
    std::vector<protocol::attempt_key> assigned_to(std::string const& node, std::vector<execution_id> const& ids);
    bool still_assigned(std::string const& node, protocol::attempt_key const& which);
    void taken(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t count);
    void fire_again(std::string const& node, std::vector<protocol::attempt_key> const& given);
    std::vector<std::string> carriers();

    void trace(std::string const& node, std::vector<execution_id> const& executions);

    dispatcher_settings settings_;
    term_scope scope_;
    dependencies deps_;
    utc_time limit_{}; // of may_fire_until
    std::size_t turn_ = 0;
    std::map<std::string, instant> avoid_; // nodes that could not be reached, until when
    std::map<std::string, numbers> numbers_;
    task_group senders_;
};

} // namespace baton::trigger
