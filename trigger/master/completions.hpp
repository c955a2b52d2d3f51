#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term.hpp"

#include <functional>
#include <set>

namespace baton::trigger {

// What depends on an end: the next attempt after a failure, the end of a broadcast with its last shard, the next firing
// of a fixed-delay task. Hints bring it at once, a look at the ledger once a second brings what the hints lost. Also
// splits broadcasts, whose ends it awaits. Part of a term.
class completions {
public:
    completions(term& term, storage::ledger& ledger, open_set& open, attempts& next, registry& clients, task_book& book,
                id_generator& ids, asio::any_io_executor loop, std::function<void()> replan);

    // An attempt ended; `status` is what the client reported.
    void finished(execution_id id, int attempt, protocol::state status);
    // An execution has ended in the ledger.
    void ended(execution_id id);

    void broadcast(std::vector<execution_id> ids);

    awaitable<void> run();

private:
    awaitable<void> split();
    awaitable<void> split_one(execution_id id);
    awaitable<void> close();
    awaitable<void> resume();
    std::optional<storage::advance> after_completion(storage::delayed_task const& row);

    term& term_;
    storage::ledger& ledger_;
    open_set& open_;
    attempts& next_;
    registry& clients_;
    task_book& book_;
    id_generator& ids_;
    std::function<void()> replan_;
    std::set<execution_id> to_split_;
    std::set<execution_id> parents_; // of which a shard has ended
    bool delayed_ = true;            // an execution of a fixed-delay task has ended
    instant looked_at_{};
    waker bell_;
};

} // namespace baton::trigger
