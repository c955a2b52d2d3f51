#include "libs/storage/run_times.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace run_times_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

constexpr utc_time minute = from_micros(1'774'746'000'000'000);

struct stage : scheduler_bench {
    stage() : scheduler_bench(GENERATE(engine::mysql, engine::sqlite))
    {
        wait_for(ledger.raise(mine));
        for (int task = 1; task <= 3; ++task)
            add_task(task, minute);
    }

    struct run {
        std::string state = "succeeded";
        int attempt = 1;
        int shard = 0;
    };

    // An execution that was scheduled `after` the beginning of the minute, and ran so long.
    void add(int task, duration after, duration took, run const& how)
    {
        auto const at = to_micros(minute + after);
        auto const id = std::to_string(++made);
        home.exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                  "attempt, max_attempts, retry_delay_us, epoch, created_at, started_at, finished_at, shard_index) "
                  "VALUES (" +
                  id + ", 'default', " + std::to_string(task) + ", 1, " + std::to_string(at) + ", " + id +
                  ", 'schedule', '" + how.state + "', " + std::to_string(how.attempt) + ", 3, 0, 1, 1, " +
                  std::to_string(at) + ", " + std::to_string(at + took.count()) + ", " + std::to_string(how.shard) +
                  ")");
    }
    void add(int task, duration after, duration took) { add(task, after, took, {}); }

    std::vector<std::int64_t> names(std::vector<storage::slow_task> const& slow)
    {
        std::vector<std::int64_t> found;
        for (auto const& one : slow)
            found.push_back(one.task.value());
        return found;
    }

    int made = 0;
    storage::run_times times{*shared};
};

} // namespace

TEST_CASE("the run times of a task are those of its latest successes in the first attempt, the newest first")
{
    stage s;
    s.add(1, 1s, 10ms);
    s.add(1, 2s, 20ms);
    s.add(1, 3s, 99s, {"failed", 1, 0});
    s.add(1, 4s, 99s, {"succeeded", 2, 0});
    s.add(1, 5s, 99s, {"succeeded", 1, 1});
    s.add(2, 1s, 5ms);
    auto const found = wait_for(s.times.latest({task_id{1}, task_id{2}, task_id{3}}));
    CHECK(found.size() == 2);
    CHECK(found.at(task_id{1}) == std::vector<duration>{20ms, 10ms});
    CHECK(found.at(task_id{2}) == std::vector<duration>{5ms});
    for (int i = 0; i < 70; ++i)
        s.add(3, 1ms * i, 1ms * i);
    auto const many = wait_for(s.times.latest({task_id{3}}));
    CHECK(many.at(task_id{3}).size() == 60);
    CHECK(many.at(task_id{3}).front() == 69ms);
}

TEST_CASE("a broadcast of many shards has the run times of its first shards")
{
    stage s;
    constexpr int shards = 30;
    for (int firing = 0; firing < 22; ++firing) {
        for (int shard = 0; shard < shards; ++shard)
            s.add(1, 1s * firing, 1ms * (firing + 100 * shard), {"succeeded", 1, shard});
        s.add(1, 1s * firing, 99s, {"planned", 1, 0}); // as the broadcast itself, which has no times of its own
    }
    CHECK(wait_for(s.times.latest({task_id{1}})).at(task_id{1}).size() < 20);
    s.home.exec("UPDATE execution SET shard_total = " + std::to_string(shards));
    auto const times = wait_for(s.times.latest({task_id{1}})).at(task_id{1});
    REQUIRE(times.size() == 22);
    CHECK(times.front() == 21ms);
    CHECK(times.back() == 0ms);
}

TEST_CASE("slow tasks are listed by factor and project, keep the time of their discovery, and leave the list")
{
    stage s;
    auto const put = [&](std::vector<storage::slow_task_row> slow, std::vector<task_id> others) {
        return wait_for(s.times.put(s.mine, std::move(slow), std::move(others)));
    };
    CHECK(put({{task_id{1}, 1s, 3s, minute}, {task_id{2}, 10s, 20s, minute}, {task_id{99}, 1s, 9s, minute}}, {}));
    auto const slow = wait_for(s.times.slow(std::nullopt, 10));
    CHECK(s.names(slow) == std::vector<std::int64_t>{1, 2}); // 99 was deleted
    CHECK(slow.at(0).name == "task1");
    CHECK(slow.at(0).usual == 1s);
    CHECK(wait_for(s.times.slow("default", 1)).size() == 1);
    CHECK(wait_for(s.times.slow("other", 10)).empty());

    CHECK(put({{task_id{2}, 10s, 90s, minute + 1h}}, {task_id{1}, task_id{3}}));
    auto const later = wait_for(s.times.slow(std::nullopt, 10));
    CHECK(s.names(later) == std::vector<std::int64_t>{2});
    CHECK(later.at(0).recent == 90s);
    CHECK(later.at(0).since == minute);
    CHECK(wait_for(s.times.listed(10)) == std::vector{task_id{2}, task_id{99}});

    CHECK_FALSE(wait_for(s.times.put({"master", 4}, {}, {task_id{2}})));
    CHECK(wait_for(s.times.listed(10)).size() == 2);
}

} // namespace run_times_test
