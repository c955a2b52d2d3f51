// Limits while a new term still reads the open executions.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/admissions.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"

#include <catch2/catch.hpp>

namespace early_admissions_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Task 1 has no limit, task 2 a limit of one. Not all open executions are known yet.
struct fixture : test::node_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    admissions limits{scope(), next};

    fixture() : node_stage(1)
    {
        add_task(1);
        add_task(2, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    }
    ~fixture() { stage.end(); }
};

} // namespace

TEST_CASE("nothing with a limit goes out before all open executions are known")
{
    fixture f;
    f.add_execution(1, 1);
    f.add_execution(2, 2);
    f.load();
    CHECK(f.limits.admit(f.one(1)));
    CHECK_FALSE(f.limits.admit(f.one(2)));
    f.limits.all_loaded();
    CHECK(f.limits.admit(f.one(2)));
}

TEST_CASE("an execution found absent before all was known waits for a place under the limit of its service")
{
    fixture f;
    f.limits.limit({{{"default", "s"}, 1, {{1, {}}}}});
    f.add_execution(1, 1);
    f.add_execution(2, 2);
    f.exec("UPDATE execution SET due_at = due_at - 1000000");
    f.load();
    f.limits.under_way(f.one(1));
    f.limits.under_way(f.one(2));
    f.limits.absent(f.one(2));
    f.open.wait(f.one(2), f.clock.now());
    f.limits.all_loaded(); // its task has a place for it
    CHECK_FALSE(f.limits.admit(f.one(2)));
    f.limits.ended(execution_id{1});
    CHECK(f.limits.admit(f.one(2)));
}

TEST_CASE("what was due before all open executions were known is let in a thousand at a time, in order")
{
    fixture f;
    for (int id = 1; id <= 2'500; ++id)
        f.add_execution(id, 2);
    f.load();
    for (int id = 2'500; id > 0; --id)
        CHECK_FALSE(f.limits.admit(f.one(id)));
    f.limits.all_loaded();
    CHECK_FALSE(f.limits.admit(f.one(1))); // 1,500 are not in line yet
    f.host.spawn(f.limits.run());
    f.pass(100ms);
    CHECK(f.limits.admit(f.one(1)));
    CHECK_FALSE(f.limits.admit(f.one(2)));
    CHECK_FALSE(f.limits.admit(f.one(2'500)));
}

} // namespace early_admissions_test
