#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/slow_watch.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace slow_watch_test {

using namespace baton;
using namespace baton::trigger;
using baton::test::term_stage;

namespace {

struct fixture : term_stage {
    fixture() { watch.emplace(of, *shared); }
    ~fixture() { stage.end(); }

    // Runs that are each a millisecond later than the one before.
    void run(int task, int runs, duration took)
    {
        noted.insert(task_id{task});
        for (int i = 0; i < runs; ++i) {
            auto const id = std::to_string(++made);
            auto const at = std::to_string(to_micros(began + 1ms * made));
            exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                 "attempt, max_attempts, retry_delay_us, epoch, created_at, ended_at, started_at, finished_at) "
                 "VALUES (" +
                 id + ", 'p', " + std::to_string(task) + ", 1, " + at + ", " + id +
                 ", 'schedule', 'succeeded', 1, 1, 0, 1, 1, " + at + " + 1, " + at + ", " + at + " + " +
                 std::to_string(took.count()) + ")");
        }
    }

    void note_all_and_judge_some()
    {
        host.spawn(both(), [] {});
        pass(100ms);
    }
    awaitable<void> both()
    {
        watch->note({noted.begin(), noted.end()});
        co_await watch->turn();
    }
    std::int64_t listed() { return number("SELECT COUNT(*) FROM slow_task"); }

    utc_time began = stage.database.utc();
    std::optional<slow_watch> watch;
    std::set<task_id> noted;
    int made = 0;
};

} // namespace

TEST_CASE("each task that ran for long is judged in its turn, though those before it run for long again and again")
{
    fixture here;
    for (int task = 1; task <= 40; ++task) {
        here.add_task(task);
        here.run(task, 1, 2s);
    }
    here.run(40, 19, 2s);
    here.run(40, 10, 9s);
    here.note_all_and_judge_some();
    CHECK(here.listed() == 0);
    here.note_all_and_judge_some();
    CHECK(here.listed() == 1);
}

TEST_CASE("a slow task that is deleted leaves the list")
{
    fixture here;
    here.add_task(1);
    here.run(1, 20, 2s);
    here.run(1, 10, 9s);
    here.note_all_and_judge_some();
    CHECK(here.listed() == 1);
    here.exec("DELETE FROM task WHERE id = 1");
    here.note_all_and_judge_some();
    CHECK(here.listed() == 0);
}

} // namespace slow_watch_test
