#include "trigger/master/plan_backlog.hpp"

#include <catch2/catch.hpp>

namespace plan_backlog_test {

using namespace baton;
using baton::storage::due_cursor;
using baton::trigger::due_range;
using baton::trigger::plan_backlog;

namespace {

utc_time const begin{1'000s};
utc_time const due_until = begin + 10s;

due_cursor at(duration after, std::int64_t id = 0, std::string service = "s")
{
    return {begin + after, {"default", std::move(service)}, task_id{id}};
}

due_cursor before_all_at(duration after)
{
    return {begin + after};
}

// Leaves what a pass leaves of single services first.
due_cursor leave_services(plan_backlog& backlog, due_cursor from)
{
    for (auto const* service : {"a", "b", "c", "d"}) {
        from.service.service = service;
        from = backlog.leave(from, due_until);
    }
    return from;
}

} // namespace

TEST_CASE("without a backlog a pass reads all tasks that are due")
{
    plan_backlog const backlog;
    auto const next = backlog.around(at(1s, 7), due_until);
    CHECK(next.from == at(1s, 7));
    CHECK(next.until == due_until);
}

TEST_CASE("a pass reads the tasks before the backlog, and those behind it at the same instant")
{
    plan_backlog backlog;
    backlog.begin_pass();
    auto const behind = backlog.leave(at(2s, 7, "herd"), due_until);
    CHECK(at(2s, 100'000, "herd") < behind);
    CHECK(behind < at(2s, 1, "other"));
    CHECK(backlog.around(at(0s), due_until).until == begin + 2s);
    CHECK(backlog.around(before_all_at(2s), due_until).from == behind);
    CHECK(backlog.around(before_all_at(2s), due_until).until == due_until);
    CHECK(backlog.around(at(2s, 1, "other"), due_until).from == at(2s, 1, "other"));
    CHECK(backlog.around(at(3s, 5), due_until).from == at(3s, 5));
    CHECK(backlog.range().from == at(2s, 7, "herd"));
    CHECK(backlog.range().until > begin + 2s);
    CHECK(backlog.range().until < begin + 2s + 1ms);
}

TEST_CASE("a pass that has left four services leaves all tasks of a span of time")
{
    plan_backlog backlog;
    backlog.begin_pass();
    leave_services(backlog, at(2s, 7));
    CHECK(backlog.leave(at(2s, 7, "e"), due_until) == before_all_at(2s + 1ms));
    CHECK(backlog.leave(at(3s, 8), due_until) == before_all_at(3s + 10ms));
    CHECK(backlog.range().from == at(2s, 7, "a"));
}

TEST_CASE("a pass that reads only full pages leaves all other tasks after a few of them")
{
    plan_backlog backlog;
    backlog.begin_pass();
    int pages = 1;
    for (auto from = at(2s, 7); from.next_fire_at < due_until; ++pages)
        from = backlog.leave(from, due_until);
    CHECK(pages <= 10);
    CHECK(backlog.range().from == at(2s, 7));
    CHECK(backlog.range().until == due_until);
}

TEST_CASE("a pass that cannot even read its first pages leaves a part of what is due since ever")
{
    plan_backlog backlog;
    backlog.begin_pass();
    due_cursor from;
    for (int calls = 0; calls < 12; ++calls)
        from = backlog.leave(from, due_until);
    CHECK(from.next_fire_at < due_until);
    CHECK(backlog.range().from == due_cursor{});
}

TEST_CASE("a backlog grows to earlier and to later tasks")
{
    plan_backlog backlog;
    backlog.begin_pass();
    leave_services(backlog, at(2s, 7));
    backlog.leave(at(3s, 8), due_until);
    backlog.begin_pass();
    CHECK(backlog.leave(at(1s, 9), due_until) == before_all_at(3s + 1ms));
    CHECK(backlog.range().from == at(1s, 9));
    CHECK(backlog.range().until == begin + 3s + 1ms);
    backlog.clear();
    CHECK(backlog.empty());
}

} // namespace plan_backlog_test
