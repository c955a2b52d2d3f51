#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"
#include "trigger/membership/membership.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace baton::trigger {

// Settles executions that were sent by a node that died: nobody knows whether a client has them. First every live node
// has heard of this epoch (or is gone), so that nobody delivers under an older one; the master that was replaced is not
// waited for, its own deadline binds it. Then the clients are read again, and those of the service that live are asked,
// in one grouped request each. From then on they refuse older epochs, and what they do not have up to the attempt that
// was asked for, so that no message still on its way can start it. What no live client knows is sent as the next
// attempt; what one runs as an earlier attempt (its node or it had counted as gone) waits for that to end. Part of a
// term.
class in_doubt_resolver {
public:
    in_doubt_resolver(term& term, open_set& open, attempts& next, registry& clients, client_stub& stub,
                      membership const& nodes, http::client& http, asio::any_io_executor loop);

    void add(open_execution& one, protocol::attempt_cause cause); // of the next attempt, if no client has it

    awaitable<void> run();

    // The master that was replaced has heard of this epoch: it lives, and may be given work.
    void on_return(std::function<void()> watcher) { returned_ = std::move(watcher); }

    bool announced() const { return announced_; }

private:
    awaitable<void> work();
    awaitable<void> announce();
    awaitable<void> tell_node(std::string incarnation);
    awaitable<void> tell_replaced();
    awaitable<void> learn_of_clients();
    awaitable<void> tell_clients();
    // When to ask again: nothing, when no doubt is left.
    awaitable<std::optional<duration>> step();
    awaitable<std::optional<duration>> settle(std::string service); // executions of one service

    // What the clients of a service said.
    struct client_answers {
        std::map<execution_id, std::string> holders; // the attempt itself, or the execution's success
        std::map<execution_id, std::string> earlier; // an earlier attempt that has not ended
        bool complete = true;                        // all have answered, or are gone
    };
    awaitable<client_answers> hear(std::string service, std::vector<execution_id> ids);
    void note(client_answers& all, std::string const& instance, protocol::held_execution const& held);
    awaitable<void> cancel_earlier(client_answers const& all);

    term& term_;
    open_set& open_;
    attempts& next_;
    registry& clients_;
    client_stub& stub_;
    membership const& nodes_;
    http::client& http_;
    bool announced_ = false;
    std::set<std::string> told_; // nodes
    std::function<void()> returned_;
    waker bell_;
    task_group tellers_;
};

} // namespace baton::trigger
