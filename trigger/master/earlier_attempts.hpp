#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Follows the executions whose clients run earlier attempts (phase::runs_earlier): such a client had counted as gone
// and has returned. Each client is asked once a second whether it still runs them. The sweeper notes when one is gone.
// Part of a term.
class earlier_attempts {
public:
    struct steps {
        // The handler of the earlier attempt has run for this time; 0: unknown.
        std::function<void(open_execution const& one, duration ran)> runs;
        // The client does not run it any more.
        std::function<void(open_execution& one)> over;
    };
    earlier_attempts(term_scope const& scope, node_calls& calls, steps given);

    // This client runs this attempt of the execution, and not the present one.
    void add(open_execution& one, std::string client, int attempt);

    awaitable<void> run();

private:
    awaitable<void> look();
    void ask_clients();
    void spawn(std::string const& client, std::vector<protocol::attempt_key> attempts);
    awaitable<void> ask(std::string client, std::vector<protocol::attempt_key> attempts);

    term_scope scope_;
    node_calls& calls_;
    steps steps_;
    std::set<execution_id> followed_;
    std::set<std::string> asking_; // clients; one that does not answer delays no other
    waker bell_;
    task_group questions_;
};

} // namespace baton::trigger
