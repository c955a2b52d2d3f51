#include "libs/storage/execution_search.hpp"
#include "libs/storage/task_search.hpp"

#include <catch2/catch.hpp>

namespace search_test {

using namespace baton;
using namespace baton::storage;
using protocol::cause;
using protocol::state;

namespace {

search_way way(execution_filter const& filter, bool many_open = false)
{
    return way_of(filter, many_open);
}

bool bounded(execution_filter const& filter, bool many_open = false)
{
    return must_bound(filter, way_of(filter, many_open));
}

bool bounds_tasks(task_filter const& filter)
{
    return must_bound(filter, way_of(filter));
}

} // namespace

TEST_CASE("a search of executions goes the way on which it meets the fewest others")
{
    task_id const task{1};
    CHECK(way({}) == search_way::time);
    CHECK(way({.task = task}) == search_way::task);
    CHECK(way({.task = task, .states = {state::failed}, .parent = execution_id{1}}) == search_way::parent);
    CHECK(way({.open = true}) == search_way::open);
    CHECK(way({.states = {state::running, state::planned}}) == search_way::open);
    CHECK(way({.error = "x", .open = true}) == search_way::open);
    CHECK(way({.states = {state::running}, .planned = true}) == search_way::time);
    CHECK(way({.states = {state::running, state::failed}}) == search_way::time);
    CHECK(way({.states = {state::failed}}) == search_way::failures);
    CHECK(way({.task = task, .states = {state::timed_out, state::failed}}) == search_way::failures);
    CHECK(way({.states = {state::failed}, .open = false}) == search_way::failures);
    CHECK(way({.states = {state::failed}, .planned = true}) == search_way::time);
    CHECK(way({.error = "x"}) == search_way::failures);
    CHECK(way({.error = "x", .planned = false}) == search_way::failures);
    CHECK(way({.states = {state::succeeded}, .error = "x"}) == search_way::time);
}

TEST_CASE("the index of open executions serves few of them, because it has no order of time")
{
    CHECK(way({.open = true}, true) == search_way::time);
    CHECK(way({.task = task_id{1}, .states = {state::running}}, true) == search_way::task);
    CHECK(way({.error = "x", .open = true}, true) == search_way::time);
    CHECK(bounded({.open = true}, true));
    CHECK_FALSE(bounded({.open = true}));
}

TEST_CASE("a search of executions is bounded unless its index shows which of them meet the filter")
{
    utc_time const at = from_micros(1);
    CHECK_FALSE(bounded(execution_filter{}));
    CHECK_FALSE(bounded({.task = task_id{1}, .from = at, .until = at, .planned = false}));
    CHECK_FALSE(bounded({.planned = true}));
    CHECK_FALSE(bounded({.project = "p", .parent = execution_id{1}}));
    CHECK(bounded({.project = "p"}));
    CHECK(bounded({.service = "s", .planned = true}));
    CHECK(bounded({.causes = {cause::manual}}));
    CHECK(bounded({.states = {state::failed}}));
    CHECK(bounded({.error = "x"}));
    CHECK(bounded({.open = false}));
    CHECK(bounded({.late = true}));
}

TEST_CASE("a search of tasks goes by the index that fits, and is bounded if that does not cover the filter")
{
    CHECK(way_of(task_filter{}) == task_way::all);
    CHECK(way_of(task_filter{.project = "p"}) == task_way::all);
    CHECK(way_of(task_filter{.project = "p", .service = "s", .state = task_state::disabled}) ==
          task_way::service_of_project);
    CHECK(way_of(task_filter{.service = "s"}) == task_way::service);
    CHECK(way_of(task_filter{.project = "p", .service = "s", .owner = "o"}) == task_way::owner);
    CHECK(way_of(task_filter{.owner = "o", .labels = {{"a", "b"}}}) == task_way::label);
    CHECK(way_of(task_filter{.enabled = false}) == task_way::state);
    CHECK(way_of(task_filter{.enabled = true}) == task_way::all); // parked ones are enabled too
    CHECK(way_of(task_filter{.state = task_state::enabled}) == task_way::state);
    CHECK(way_of(task_filter{.state = task_state::parked}) == task_way::all);

    CHECK_FALSE(bounds_tasks(task_filter{}));
    CHECK_FALSE(bounds_tasks({.project = "p", .service = "s"}));
    CHECK_FALSE(bounds_tasks({.owner = "o"}));
    CHECK_FALSE(bounds_tasks({.labels = {{"a", "b"}}}));
    CHECK_FALSE(bounds_tasks({.enabled = false}));
    CHECK_FALSE(bounds_tasks({.state = task_state::disabled}));
    CHECK(bounds_tasks({.project = "p"}));
    CHECK_FALSE(bounds_tasks({.service = "s"}));
    CHECK(bounds_tasks({.service = "s", .handler = "h"}));
    CHECK(bounds_tasks({.enabled = true}));
    CHECK(bounds_tasks({.enabled = true, .state = task_state::disabled}));
    CHECK(bounds_tasks({.name_contains = "x"}));
    CHECK(bounds_tasks({.text = "x"}));
    CHECK(bounds_tasks({.kind = protocol::schedule_kind::cron}));
    CHECK(bounds_tasks({.project = "p", .service = "s", .handler = "h"}));
    CHECK(bounds_tasks({.owner = "o", .labels = {{"a", "b"}}}));
    CHECK(bounds_tasks({.labels = {{"a", "b"}, {"c", "d"}}}));
    CHECK(bounds_tasks({.state = task_state::parked, .owner = "o"}));
}

} // namespace search_test
