#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/open_set.hpp"

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace baton::trigger {

// Carries out the requests to cancel: ends an execution that waits, takes back one that a node has not sent yet, and
// tells the client of any other. Repeats this until the execution has ended.
//
// A node or client that does not answer delays no other: each has one call in flight, and those that answered late the
// last time share a few calls of their own. A step takes a bounded number of requests. Part of a term.
class cancellations {
public:
    // The steps that a cancellation takes, given by the composition of the term.
    struct steps {
        std::function<awaitable<void>(std::string instance, std::vector<execution_id> ids)> tell_client;
        // Returns those that the node has not sent to a client and will not send.
        std::function<awaitable<std::vector<execution_id>>(std::string node, std::vector<execution_id> ids)> withdraw;
        std::function<void(open_execution& one)> end;
        std::function<void(open_execution& one)> stopping; // its client is about to be told
    };
    cancellations(open_set& open, time_source& time, asio::any_io_executor loop, steps given);

    // Cancels these and the shards of those that are broadcasts. Requests that the ledger shows (open_set) follow by
    // themselves.
    void request(std::vector<execution_id> const& ids);

    awaitable<void> run();

    // Nodes and clients of which something is kept.
    std::size_t lanes() const { return lanes_.size(); }

private:
    // A node or client, which is told.
    struct target {
        bool node = false;
        std::string name;
        auto operator<=>(target const&) const = default;
    };
    struct lane {
        std::deque<execution_id> waiting;
        bool busy = false;
        bool slow = false; // its last answer came late, or not at all
    };
    struct calls_in_flight {
        std::size_t most;
        std::size_t running = 0;
        std::deque<target> ready{}; // have executions that wait, and no call in flight
    };

    void begin_again();
    awaitable<void> work();
    void step();
    void forget_slow(instant now);
    void follow(execution_id id, instant now);
    void look_again(execution_id id, instant now);
    void enqueue(target to, execution_id id);
    void make_ready(target const& which, lane const& its);
    void start_calls(calls_in_flight& some);
    void call(target to, calls_in_flight& among);
    awaitable<void> carry_out(target to, std::vector<protocol::attempt_key> keys, calls_in_flight& among);
    awaitable<void> tell(target const& whom, std::vector<protocol::attempt_key> const& keys);
    void end_withdrawn(std::string const& node, std::vector<protocol::attempt_key> const& keys,
                       std::vector<execution_id> const& back);

    open_set& open_;
    time_source& time_;
    steps steps_;
    waker bell_;
    std::deque<execution_id> fresh_;
    std::unordered_set<execution_id> followed_;
    std::multimap<instant, execution_id> again_; // when to look at each again
    std::map<target, lane> lanes_;
    std::deque<std::pair<instant, target>> slow_until_; // when to forget each, if it is not called meanwhile
    calls_in_flight quick_;
    calls_in_flight slow_;
    task_group calls_;
};

} // namespace baton::trigger
