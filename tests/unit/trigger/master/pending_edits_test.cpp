#include "trigger/master/pending_edits.hpp"

#include <catch2/catch.hpp>

namespace pending_edits_test {

using namespace baton;
using namespace baton::trigger;

namespace {
constexpr signal_id first{1};
constexpr signal_id second{2};
constexpr task_id task{7};
constexpr instant now{100s};
utc_time const line = from_rfc3339("2026-03-01T00:00:00Z");
}

TEST_CASE("the firings of a task from the line of an announced edit on wait until the announcement is gone")
{
    pending_edits edits;
    edits.announced(first, task, line, now);
    CHECK(edits.any_of(task));
    CHECK(edits.hold(task, line));
    CHECK_FALSE(edits.hold(task, line - 1us));
    CHECK_FALSE(edits.hold(task_id{8}, line));
    edits.keep_only({first});
    CHECK(edits.hold(task, line));
    edits.keep_only({});
    CHECK_FALSE(edits.any_of(task));
    CHECK_FALSE(edits.hold(task, line));
}

TEST_CASE("of several announced edits of a task the one with the earliest line counts")
{
    pending_edits edits;
    edits.announced(second, task, line + 1s, now);
    edits.announced(first, task, line, now);
    CHECK(edits.hold(task, line));
    edits.keep_only({second});
    CHECK_FALSE(edits.hold(task, line));
    CHECK(edits.hold(task, line + 1s));
}

TEST_CASE("an edit that does not come is given up after five seconds, however often its announcement is read")
{
    pending_edits edits;
    edits.announced(first, task, line, now);
    edits.announced(first, task, line, now + 4s);
    CHECK(edits.overdue(now + 5s - 1us).empty());
    CHECK(edits.overdue(now + 5s) == std::vector{first});
}

} // namespace pending_edits_test
