// The cost of an execution in the master's memory: planning, queueing, assignment, the choice of a client.

#include "trigger/delivery/lanes.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/planner.hpp"

#include <benchmark/benchmark.h>

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr utc_time start{1'774'746'000s};

std::shared_ptr<known_task const> make_task()
{
    auto task = std::make_shared<known_task>();
    task->id = task_id{381'200'000'000'000'001};
    task->version = 1;
    task->definition.name = "bench";
    task->definition.service = "bench";
    task->definition.handler = "noop";
    task->definition.payload = protocol::json_text(nlohmann::json{{"data", std::string(245, 'x')}});
    task->definition.schedule.kind = protocol::schedule_kind::fixed_rate;
    task->definition.schedule.every = 1s;
    task->timetable.emplace(task->definition.schedule, start);
    return task;
}

open_execution make_one(std::shared_ptr<known_task const> const& task, std::int64_t number)
{
    open_execution one;
    one.id = execution_id{381'204'117'561'114'624 + number};
    one.task = task;
    one.due_at = start + duration{number * 100};
    one.scheduled_at = one.due_at;
    return one;
}

// As many executions as a look-ahead holds, spread over time.
void open_set_through(benchmark::State& state)
{
    system_time const time;
    auto const task = make_task();
    auto const many = state.range(0);
    for (auto _ : state) {
        open_set open(time);
        open_set::reading const seen(open);
        for (std::int64_t i = 0; i < many; ++i)
            open.add(make_one(task, i), seen);
        for (auto now = start; open.next_due(); now += 1ms)
            for (auto const id : open.take_due(now, 10'000))
                open.erase(id);
    }
    state.SetItemsProcessed(state.iterations() * many);
}

void due_queue_through(benchmark::State& state)
{
    auto const many = state.range(0);
    for (auto _ : state) {
        due_queue queue;
        due_queue::line line;
        for (std::int64_t i = 0; i < many; ++i)
            queue.put(line, start + duration{i * 100}, execution_id{i + 1});
        for (auto now = start; queue.next(); now += 1ms)
            benchmark::DoNotOptimize(queue.take(now, 10'000));
    }
    state.SetItemsProcessed(state.iterations() * many);
}

void assignment_made(benchmark::State& state)
{
    auto const one = make_one(make_task(), 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(make_assignment(one));
}

void client_chosen(benchmark::State& state)
{
    seeded_random random(1);
    lanes home({}, random);
    protocol::service_key const service{"default", "bench"};
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        auto& lane = home.put({"client-" + std::to_string(i), service, {"noop"}, 32, 0, false});
        lane.proved_at_address();
        home.mark_changed(lane);
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(home.choose(service, "noop", protocol::client_choice::round_robin, instant{1s}));
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(open_set_through)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK(due_queue_through)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK(assignment_made);
BENCHMARK(client_chosen)->Arg(1)->Arg(100)->Arg(10'000);

} // namespace
