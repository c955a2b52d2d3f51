#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/term_scope.hpp"

#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// Ends the broadcasts whose shards have ended. A hint starts this at once; a look at all broadcasts under way once a
// second makes up for lost hints. Part of a term.
class broadcast_closer {
public:
    broadcast_closer(term_scope const& scope, completion_queue& queue, attempts& next)
        : scope_(scope), queue_(queue), next_(next)
    {}

    awaitable<void> run();

private:
    awaitable<void> round();
    awaitable<void> close(std::vector<execution_id> const& broadcasts);
    std::set<execution_id> ended_by_any(std::vector<execution_id> const& broadcasts);
    void fail(execution_id id, std::string const& why);

    term_scope scope_;
    completion_queue& queue_;
    attempts& next_;
    instant looked_at_{};      // all broadcasts under way
    std::string refusal_said_; // by the log; empty: none
};

} // namespace baton::trigger
