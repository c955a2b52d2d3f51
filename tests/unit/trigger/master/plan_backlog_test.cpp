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

due_cursor at(duration after, std::int64_t id = 0)
{
    return {begin + after, task_id{id}};
}

bool same(due_cursor const& a, due_cursor const& b)
{
    return a.next_fire_at == b.next_fire_at && a.id == b.id;
}

} // namespace

TEST_CASE("without a backlog a pass reads all tasks that are due")
{
    plan_backlog const backlog;
    auto const next = backlog.around(at(1s, 7), due_until);
    CHECK(same(next.from, at(1s, 7)));
    CHECK(next.until == due_until);
}

TEST_CASE("a pass reads the tasks before and behind the backlog")
{
    plan_backlog backlog;
    backlog.begin_pass();
    auto const behind = backlog.leave(at(2s, 7), due_until);
    CHECK(same(behind, at(2s + 1ms)));
    CHECK(backlog.around(at(0s), due_until).until == begin + 2s);
    CHECK(same(backlog.around(at(2s), due_until).from, behind));
    CHECK(backlog.around(at(2s), due_until).until == due_until);
    CHECK(same(backlog.around(at(3s, 5), due_until).from, at(3s, 5)));
    CHECK(same(backlog.range().from, at(2s, 7)));
}

TEST_CASE("a pass that reads only full pages leaves all other tasks after a few of them")
{
    plan_backlog backlog;
    backlog.begin_pass();
    int pages = 1;
    for (auto from = at(2s, 7); from.next_fire_at < due_until; ++pages)
        from = backlog.leave(from, due_until);
    CHECK(pages <= 6);
    CHECK(same(backlog.range().from, at(2s, 7)));
    CHECK(backlog.range().until == due_until);
}

TEST_CASE("a backlog grows to earlier and to later tasks")
{
    plan_backlog backlog;
    backlog.begin_pass();
    backlog.leave(at(2s, 7), due_until);
    CHECK(same(backlog.leave(at(3s, 8), due_until), at(3s + 10ms)));
    CHECK(same(backlog.range().from, at(2s, 7)));
    backlog.begin_pass();
    CHECK(same(backlog.leave(at(1s, 9), due_until), at(3s + 10ms)));
    CHECK(same(backlog.range().from, at(1s, 9)));
    backlog.clear();
    CHECK(backlog.empty());
}

} // namespace plan_backlog_test
