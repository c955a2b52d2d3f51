#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term.hpp"
#include "trigger/settings.hpp"

#include <functional>

namespace baton::trigger {

// What a page of due tasks comes to: the tasks' next instants and the executions of what falls due on the way.
struct page_plan {
    std::vector<storage::advance> tasks;
    std::vector<storage::new_execution> executions;
    std::vector<open_execution> open_executions;
};

// All firings of one task from its next_fire_at up to `horizon`, at most `limit`, added to the plan. Pure but for the
// ids. Every late firing fires once.
void plan_task(storage::due_task const& due, std::shared_ptr<known_task const> task, utc_time horizon,
               std::size_t limit, id_generator& ids, page_plan& out);

// Looks ahead: turns what falls due in the next seconds into executions, page by page, each page one fenced
// transaction. A task whose next firing lies within half of the look-ahead is planned to its end: one that fires often
// is written once for several firings. Part of a term.
class planner {
public:
    planner(planner_settings settings, term& term, storage::ledger& ledger, task_book& book, open_set& open,
            id_generator& ids, asio::any_io_executor loop, std::function<void()> planned);

    awaitable<void> run();
    void wake() { bell_.wake(); }

private:
    struct reach {
        utc_time take; // tasks whose next firing is due by then
        utc_time plan; // up to there
    };

    awaitable<void> round();
    awaitable<bool> page(reach ahead, storage::due_cursor& from); // true: there may be more
    page_plan prepare(std::vector<storage::due_task> const& due, reach ahead, storage::due_cursor& from);

    planner_settings settings_;
    term& term_;
    storage::ledger& ledger_;
    task_book& book_;
    open_set& open_;
    id_generator& ids_;
    waker bell_;
    std::function<void()> planned_;
    bool behind_ = false; // a task had more firings than fit
    std::size_t planned_in_round_ = 0;
};

} // namespace baton::trigger
