#pragma once

#include "libs/base/loop.hpp"
#include "libs/schedule/plan.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term.hpp"

#include <functional>

namespace baton::trigger {

// The writes that plan a page of due tasks: the tasks' next instants and an execution for each firing.
struct page_plan {
    std::vector<storage::advance> tasks;
    std::vector<storage::new_execution> executions;
    std::vector<open_execution> open_executions;
};

// Adds one task's plan to the page, with an id for each firing.
void add_to_page(storage::due_task const& due, std::shared_ptr<known_task const> task, schedule::task_plan const& plan,
                 id_generator& ids, page_plan& page);

struct planner_parts {
    storage::ledger& ledger;
    task_book& book;
    open_set& open;
    id_generator& ids;
};

// Looks ahead: turns the firings of the next seconds into executions, page by page. Each page is one fenced
// transaction. A task whose next firing lies within half of the look-ahead is planned to the end of the look-ahead, so
// a task that fires often is written once for several firings. Part of a term.
class planner {
public:
    // Calls `planned` after each page.
    planner(planner_settings settings, term& term, planner_parts parts, asio::any_io_executor loop,
            std::function<void()> planned);

    awaitable<void> run();
    void wake() { waker_.wake(); }

private:
    struct look_ahead {
        utc_time due_until;  // tasks whose next firing is due before this
        utc_time plan_until; // their firings before this
    };

    awaitable<void> round();
    awaitable<bool> page(look_ahead ahead, storage::due_cursor& from); // true: there may be more
    page_plan prepare(std::vector<storage::due_task> const& due, look_ahead ahead, storage::due_cursor& from);

    planner_settings settings_;
    term& term_;
    planner_parts parts_;
    waker waker_;
    std::function<void()> planned_;
    bool behind_ = false; // a task has more firings than one page takes
    std::size_t planned_in_round_ = 0;
};

} // namespace baton::trigger
