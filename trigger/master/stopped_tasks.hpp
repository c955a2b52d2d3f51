#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/term_scope.hpp"

#include <map>
#include <optional>
#include <vector>

namespace baton::trigger {

// Cancels the executions of disabled and deleted tasks that have not been sent: those of versions before the stop that
// still wait a second after its line. What may have begun runs to its end, with its retries. The ledger remembers each
// stop for a minute, so a new master carries it out too. Part of a term.
class stopped_tasks {
public:
    stopped_tasks(term_scope const& scope, attempts& next) : scope_(scope), next_(next) {}

    // Reads the stops of the last minute, before the term acts. Throws `unavailable`.
    awaitable<void> read();
    // No client has this execution, which was in doubt. True if it is cancelled, because its task was stopped.
    bool cancel_if_stopped(open_execution& one);

    // The open executions of earlier terms are in memory. Before that nothing is cancelled.
    void all_loaded() { loaded_ = true; }
    // True while the stops of the last seconds may be unknown, because the database has not answered, or because a
    // take-over takes long.
    bool is_behind() const;

    awaitable<void> run();

private:
    awaitable<void> round();
    void note(storage::stopped_task const& stop);
    std::size_t cancel_waiting(storage::stopped_task const& stop);

    term_scope scope_;
    attempts& next_;
    std::optional<storage::stopped_task> last_;      // of the last round, if there are more behind it
    std::map<task_id, storage::stopped_task> known_; // the stops of the last minute, by the last reading
    bool loaded_ = false;
    instant read_at_{}; // the stops before this are known
};

} // namespace baton::trigger
