#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/unresponsive_handlers.hpp"
#include "trigger/master/write_group.hpp"

#include <map>
#include <vector>

namespace baton::trigger {

// Ends executions whose handlers do not return: the grace period of the task after its timeout, or after their clients
// were asked to cancel them. Until then their clients ask the handlers to stop, and the ledger shows that they do. A
// request of a term before goes on. Part of a term.
class deadlines {
public:
    deadlines(term_scope const& scope, completion_queue& done, unresponsive_handlers& unresponsive)
        : scope_(scope), done_(done), unresponsive_(unresponsive), bell_(scope.loop)
    {}

    // A client has run this attempt for so long. Without a word it is about a second, and the timeout counts from now.
    void started(execution_id id, int attempt, duration ran = {});
    // Its client is being asked to cancel it.
    void stopping(open_execution& one);
    // A client has it, and it must end at once, without its handler.
    void end_now(storage::unresponsive_attempt one);

    awaitable<void> run();

private:
    struct watched {
        execution_id id;
        int attempt = 1;
        protocol::stop_cause why = protocol::stop_cause::timeout;
        bool request = true; // to stop is to be noted; then, after the grace period, the end
        instant asked_at{};
    };
    void watch(open_execution const& one, protocol::stop_cause why, duration until_asked);
    void take_due();
    void look_at(watched what, instant now);
    awaitable<void> note_requests();
    awaitable<void> end_expired();
    void ended(storage::unresponsive_attempt one, storage::ended_runs const& done);

    term_scope scope_;
    completion_queue& done_;
    unresponsive_handlers& unresponsive_;
    std::multimap<instant, watched> queue_;
    std::vector<storage::unresponsive_attempt> to_end_; // at once
    std::vector<watched> requests_;                     // to be written
    std::vector<storage::unresponsive_attempt> expired_;
    locked_items<watched> locked_requests_;
    locked_items<storage::unresponsive_attempt> locked_expired_;
    waker bell_;
};

} // namespace baton::trigger
