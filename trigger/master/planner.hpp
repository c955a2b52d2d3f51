#pragma once

#include "libs/base/backoff.hpp"
#include "libs/base/loop.hpp"
#include "libs/schedule/plan.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/parked_tasks.hpp"
#include "trigger/master/plan_backlog.hpp"
#include "trigger/master/planning_watch.hpp"
#include "trigger/master/quota.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace baton::trigger {

// The writes that plan a page of due tasks: the tasks' next instants, an execution for each firing, and the late
// firings that are skipped. Tasks of a service without room are parked instead.
struct page_plan {
    std::vector<storage::advance> tasks;
    std::vector<storage::new_execution> executions;
    std::vector<open_execution> open_executions;
    std::vector<storage::skipped_firings> skipped;
    std::size_t firings_skipped = 0; // in `skipped`
    std::size_t firings_paused = 0;  // of these, by pauses
    std::size_t firings_asked = 0;   // likewise, because people asked for it
    std::vector<storage::parked_task> parked;
};

// Adds one task's plan to the page, with an id for each firing.
void add_to_page(storage::due_task const& due, std::shared_ptr<known_task const> task, schedule::task_plan const& plan,
                 id_generator& ids, page_plan& page);

struct planner_parts {
    storage::ledger& ledger;
    task_book& book;
    open_set& open;
    id_generator& ids;
    planning_watch& watch;
    pause_book const& paused = no_pauses;
};

// Looks ahead: turns the firings of the next seconds into executions, page by page. Each page is one fenced
// transaction. A task whose next firing lies within half of the look-ahead is planned to the end of the look-ahead, so
// a task that fires often is written once for several firings.
//
// A herd, many tasks that come into the look-ahead together, takes the database seconds. So its tasks are planned as
// soon as they are in the look-ahead, a little in each round, because other tasks must not wait for it. What is not
// planned when the usual rounds reach it is a backlog, which is planned a little in each round as well.
//
// Overdue tasks whose service has reached its limit of open executions are parked, and taken back when it has room.
// Part of a term.
class planner {
public:
    // Tasks that come into the look-ahead between two rounds. This many take well under a second to plan.
    static constexpr int herd_size = 5'000;
    // After this many consecutive pages without a planned task, the usual rounds take the herd over: its tasks fire
    // too often to be planned early.
    static constexpr int most_empty_pages = 2;

    static constexpr std::uint64_t no_page = std::numeric_limits<std::uint64_t>::max();

    // Calls `planned` after each page.
    planner(planner_settings settings, term& term, planner_parts parts, asio::any_io_executor loop,
            std::function<void()> planned);

    awaitable<void> run();
    void wake() { waker_.wake(); }
    // Makes the next round begin at `at` or earlier: a task fires then. It may be long past.
    void look_from(utc_time at);
    // The executions that earlier terms left open are loaded.
    void loaded() { parked_.loaded(); }
    // No page is being written whose firings were computed by an older generation of schedule::zones().
    bool follows_zones(std::uint64_t generation) const { return page_zones_ >= generation; }

private:
    static constexpr std::size_t rows_limit =
        2'000; // of executions a transaction: short enough for a shared SQLite file
    static constexpr std::size_t skips_limit = 10'000; // of skipped firings a page: some milliseconds of the loop

    struct look_ahead {
        utc_time now;
        utc_time due_until;  // tasks whose next firing is due before this
        utc_time plan_until; // their firings before this
        bool early = false;  // only tasks that do not fire again within half a look-ahead
    };
    // The part of a herd that still has to be planned.
    struct herd_range : due_range {
        int empty_pages = 0; // consecutive pages without a planned task
    };

    awaitable<void> find_parked();
    awaitable<void> plan_ahead();
    awaitable<void> look_behind();
    awaitable<void> round();
    awaitable<void> pass();
    awaitable<void> plan_from_backlog();
    awaitable<void> plan_herd();
    awaitable<void> herd_page();
    awaitable<void> look_for_herd();
    instant end_of_share() const;
    awaitable<bool> told_page(look_ahead ahead, storage::due_cursor& from); // true: there may be more
    awaitable<bool> page(look_ahead ahead, storage::due_cursor& from);      // likewise
    void leave(std::set<task_id> const& locked, page_plan& page);
    void tell_skipped(page_plan const& page) const;
    void add(std::vector<open_execution> planned, open_set::reading const& seen);
    void refused(page_plan const& page, std::string const& why);
    bool is_set_aside(storage::due_task const& row);
    awaitable<void> read_again();
    awaitable<page_plan> prepare(std::vector<storage::due_task> const& due, look_ahead ahead,
                                 storage::due_cursor& from);
    bool prepare_paused(storage::due_task const& row, std::shared_ptr<known_task const> const& task, look_ahead ahead,
                        page_plan& page);
    void prepare_task(storage::due_task const& row, look_ahead ahead, page_room& services, page_plan& page);

    planner_settings settings_;
    term& term_;
    planner_parts parts_;
    parked_tasks parked_;
    waker waker_;
    std::function<void()> planned_;
    bool found_parked_ = false; // the services with parked tasks have been read
    bool behind_ = false;       // a task has more firings than one page takes, or tasks were taken back
    std::size_t planned_in_round_ = 0;
    utc_time done_until_{duration::min()}; // no task is due before this, except those that look_behind finds
    utc_time left_from_{utc_time::max()};  // the earliest firing that this round leaves to the next one
    plan_backlog backlog_;
    utc_time looked_until_{}; // for herds
    std::optional<herd_range> herd_;
    instant look_behind_at_{};
    std::uint64_t page_zones_ = no_page; // of the page that is being written
    std::size_t rows_of_page_;           // fewer than usual after a page that the database refused
    struct set_aside {
        int version = 0; // of the task; an edit may have mended it
        instant again{};
        backoff pause{{1s, 5min, 1h}};
    };
    std::map<task_id, set_aside> set_aside_; // tasks whose firings the database refuses
    // Planned executions whose rows are uncertain: the commit had no answer, or the task was edited before the answer
    // came.
    std::vector<open_execution> in_question_;
};

} // namespace baton::trigger
