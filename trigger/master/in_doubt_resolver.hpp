#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/term_scope.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace baton::trigger {

// Finds out which client has an execution whose node died or whose master was replaced. Part of a term.
//
// 1. Announce: every live node hears of this epoch, so that none delivers under an older one. The master that was
//    replaced is not waited for, because its own deadline binds it.
// 2. Read the clients again, and ask those of the service that live, in one request each. From then on a client refuses
//    older epochs, and refuses an execution that it does not have up to the attempt that was asked for, so that no
//    message that is still on its way can start it.
// 3. An execution that no live client knows goes out as the next attempt. If a client runs an earlier attempt, because
//    its node or the client itself had counted as gone, the execution waits for the end of that attempt.
class in_doubt_resolver {
public:
    in_doubt_resolver(term_scope const& scope, node_parts const& node, attempts& next);

    // `cause`: of the next attempt, if no client has the execution.
    void add(open_execution& one, protocol::attempt_cause cause);

    awaitable<void> run();

    // Is this the replaced master, which has not answered yet? It may be dead or stopped: give it no work.
    bool suspects(std::string const& incarnation) const
    {
        return incarnation == scope_.term.replaced && !told_.contains(incarnation);
    }

private:
    awaitable<void> work();
    awaitable<void> announce();
    awaitable<void> tell_node(std::string incarnation);
    awaitable<void> tell_replaced();
    awaitable<void> learn_of_clients();
    awaitable<void> tell_clients();
    // The pause until the next step; nothing if no execution is in doubt.
    awaitable<std::optional<duration>> step();
    awaitable<std::optional<duration>> settle(std::string service);

    // The answers of the clients of one service, by execution.
    struct client_answers {
        std::map<execution_id, std::string> holders; // the attempt itself, or the execution's success
        std::map<execution_id, std::string> earlier; // an earlier attempt that has not ended
        bool complete = true;                        // every client has answered or is gone
    };
    awaitable<client_answers> ask(std::string service, std::vector<execution_id> ids);
    void note(client_answers& all, std::string const& instance, protocol::held_execution const& held);
    awaitable<void> cancel_earlier(client_answers const& all);

    term_scope scope_;
    node_parts node_;
    attempts& next_;
    std::set<std::string> told_; // nodes that know this epoch
    waker bell_;
    task_group tellers_;
};

} // namespace baton::trigger
