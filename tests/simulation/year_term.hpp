#pragma once

#include "tests/simulation/year_world.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completions.hpp"
#include "trigger/master/paused_services.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/successor_tasks.hpp"
#include "trigger/master/suspect_line.hpp"

#include <vector>

namespace year_sim {

// The term of a master, with the memory that ends with it.
struct one_term {
    one_term(year& on, std::int64_t epoch);

    // The planned executions that are due and must not run, because their service is paused. Those that the pause skips
    // are skipped.
    awaitable<std::vector<execution_id>> keep_paused();

    year& of_year;
    trigger::mastership ship;
    trigger::cluster_clock clock;
    trigger::term of;
    trigger::task_book book;
    trigger::open_set open;
    trigger::planning_watch watch{instant{}};
    trigger::pause_book paused;
    trigger::planner planner;
    trigger::term_scope scope;
    trigger::successor_tasks successors;
    trigger::suspect_line suspects;
    trigger::completion_queue queue;
    trigger::attempts next;
    trigger::paused_services pauses;
    trigger::completions done;

private:
    awaitable<void> load(std::vector<execution_id> const& ids);
};

} // namespace year_sim
