#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/deadlines.hpp"
#include "trigger/master/limit_rules.hpp"
#include "trigger/master/term_scope.hpp"

#include <set>
#include <tuple>

namespace baton::trigger {

// Keeps the time limits of whole executions: start_within and total. They count from the due instant, which is in the
// ledger, so a new master keeps them too. Executions of tasks without these limits cost nothing. Part of a term.
class execution_limits {
public:
    execution_limits(term_scope const& scope, attempts& next, deadlines& ends)
        : scope_(scope), next_(next), ends_(ends), bell_(scope.loop)
    {}

    // Call it when the execution has come into memory. Its limits are watched until forget().
    void watch(open_execution const& one);
    // Call it when the execution has ended.
    void forget(execution_id id);
    // True if this due execution must not be sent any more: it ends here.
    bool expired(open_execution& one, utc_time now);

    awaitable<void> run();

private:
    using entry = std::tuple<utc_time, execution_id, limit_kind>;
    utc_time carry_out(utc_time now);
    bool is_edited(open_execution const& one) const;
    void end(open_execution& one, limit_kind kind, limit_step step);
    void put(utc_time at, execution_id id, limit_kind kind);

    term_scope scope_;
    attempts& next_;
    deadlines& ends_;
    std::set<entry> queue_;
    std::unordered_map<execution_id, std::vector<entry>> entries_; // of each execution in the queue
    waker bell_;
};

} // namespace baton::trigger
