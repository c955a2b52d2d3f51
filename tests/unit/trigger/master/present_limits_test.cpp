#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/present_limits.hpp"

#include <catch2/catch.hpp>

namespace present_limits_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture : test::term_stage {
    present_limits limits{open};

    ~fixture() { stage.end(); }

    // A task with an execution that waits.
    void add_waiting(nlohmann::json const& task)
    {
        add_task(1, task);
        add_execution(1, 1);
        load();
    }
    void edit(int task, int version, nlohmann::json const& members)
    {
        nlohmann::json definition{{"name", "t"},
                                  {"service", "s"},
                                  {"handler", "h"},
                                  {"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}}}};
        definition.update(members);
        limits.learn(book.get(task_id{task}, version, definition.dump(), std::nullopt));
    }
};

nlohmann::json limit(int most)
{
    return {{"concurrency", {{"limit", most}, {"when_full", "skip"}}}};
}

} // namespace

TEST_CASE("the limits of the newest version that is known hold for executions of an older one")
{
    fixture f;
    f.add_waiting({{"concurrency", {{"limit", 1}, {"when_full", "wait"}, {"queue", 7}}}});
    CHECK(f.limits.concurrency(f.one(1)).limit == 1);
    f.edit(1, 3, limit(5));
    f.edit(1, 2, limit(4)); // it was read before
    auto const policy = f.limits.concurrency(f.one(1));
    CHECK(policy.limit == 5);
    CHECK(policy.queue == 7);
    CHECK(policy.when_full == protocol::when_full::wait);
    CHECK(f.limits.holding(f.one(1)).version == 3);
    f.edit(1, 1, limit(9));
    CHECK(f.limits.holding(f.one(1)).version == 3);
}

TEST_CASE("an execution of a version that is newer than the edit keeps its own limits")
{
    fixture f;
    f.add_task(1, limit(2));
    f.add_execution(1, 1);
    f.exec("UPDATE task_version SET version = 2");
    f.exec("UPDATE execution SET task_version = 2");
    f.load();
    f.edit(1, 1, limit(5));
    CHECK(f.limits.holding(f.one(1)).version == 2);
    CHECK(f.limits.concurrency(f.one(1)).limit == 2);
}

TEST_CASE("tasks of which no execution waits are forgotten when others are edited")
{
    fixture f;
    f.add_waiting(limit(1));
    f.edit(1, 2, limit(5));
    for (int task = 2; task <= 1'000; ++task)
        f.edit(task, 2, limit(5));
    CHECK(f.limits.size() <= 4);
    CHECK(f.limits.concurrency(f.one(1)).limit == 5);
}

} // namespace present_limits_test
