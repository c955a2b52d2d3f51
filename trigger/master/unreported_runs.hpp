#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Asks clients about executions that they have had for longer than the timeout without a report that they run. Such a
// report may be lost or never sent, and without it a handler that does not return would have no timeout. Part of a
// term.
class unreported_runs {
public:
    struct steps {
        // Its handler has run for this time.
        std::function<void(open_execution const& one, duration ran)> runs;
        // Its client does not have it.
        std::function<void(open_execution& one)> lost;
    };
    unreported_runs(term_scope const& scope, node_calls& calls, steps given);

    awaitable<void> run();

private:
    awaitable<void> look();
    void ask_clients();
    void spawn(std::string const& client, std::vector<protocol::attempt_key> attempts);
    awaitable<void> ask(std::string client, std::vector<protocol::attempt_key> attempts);
    void settle(std::string const& client, protocol::attempt_key const& which, protocol::held_execution const* told);

    term_scope scope_;
    node_calls& calls_;
    steps steps_;
    std::set<std::string> asking_; // clients; one that does not answer delays no other
    task_group questions_;
};

} // namespace baton::trigger
