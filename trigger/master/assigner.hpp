#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "trigger/delivery/carrier.hpp"
#include "trigger/election/election_trace.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"
#include "trigger/membership/membership.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Fires: at its instant, each execution is given to a slave, grouped, one request a slave; to this node itself without
// a hop. Part of a term.
class assigner {
public:
    struct watchers {
        std::function<void(std::vector<execution_id>)> broadcast; // to be split into shards first
        std::function<void(execution_id)> doubt;                  // a node is gone that may have it
        epoch_watcher heard;                                      // of a higher epoch
        departure_watcher leaving{};                              // before a group is given away
    };

    assigner(dispatcher_settings settings, term& term, open_set& open, membership const& nodes, carrier& here,
             client_stub& clients, http::client& http, asio::any_io_executor loop, watchers to);

    awaitable<void> run();
    void wake() { bell_.wake(); }
    // The master that was replaced has answered.
    void trust_replaced() { suspect_.clear(); }

    // An edit that is committed is known to this master before any firing that it takes back: nothing due after this
    // fires until the signals have been read again.
    void may_fire_until(utc_time limit);

    // No word of it for long: the same node is told again, which answers with what it knows.
    void repeat(std::string const& node, std::vector<execution_id> ids);

    awaitable<void> cancel_at_client(std::string instance, std::vector<execution_id> ids);

    // Takes back from a node what it has not sent to a client. Empty when the node does not answer.
    awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids);

    // The number of the next assignment to this node: none from there on names what has been heard of by now.
    std::int64_t next_number(std::string const& node) const;

private:
    // Assignments to a slave: how many there were, and which are not answered or given up.
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

    dispatcher_settings settings_;
    term& term_;
    open_set& open_;
    membership const& nodes_;
    carrier& here_;
    client_stub& clients_;
    http::client& http_;
    watchers to_;
    utc_time limit_{};
    std::size_t turn_ = 0;
    std::map<std::string, instant> avoid_; // nodes that could not be reached
    std::map<std::string, numbers> numbers_;
    std::string suspect_; // the node whose term was taken over, until it answers: it may be dead or stopped
    waker bell_;
    task_group senders_;
};

} // namespace baton::trigger
