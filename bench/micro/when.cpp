// The cost of computing the next firing of a task.

#include "libs/schedule/schedule.hpp"

#include <benchmark/benchmark.h>

using namespace baton;

namespace {

constexpr utc_time created{1'774'746'000s};

protocol::task_definition make_task(std::string cron)
{
    protocol::task_definition task;
    task.schedule.kind = protocol::schedule_kind::cron;
    task.schedule.cron = std::move(cron);
    task.schedule.zone = "Europe/Berlin";
    return task;
}

void next_of(benchmark::State& state, protocol::task_definition const& task)
{
    schedule::timetable const times(task.schedule, created);
    auto at = created;
    for (auto _ : state)
        at = times.first(at + schedule::tick).value_or(created);
    state.SetItemsProcessed(state.iterations());
}

void cron_every_second(benchmark::State& state)
{
    next_of(state, make_task("* * * * * *"));
}
void cron_every_working_morning(benchmark::State& state)
{
    next_of(state, make_task("0 30 8 * * mon-fri"));
}
void cron_every_leap_day(benchmark::State& state)
{
    next_of(state, make_task("0 0 0 29 2 *"));
}
void fixed_rate(benchmark::State& state)
{
    protocol::task_definition task;
    task.schedule.kind = protocol::schedule_kind::fixed_rate;
    task.schedule.every = 1s;
    next_of(state, task);
}
void cron_parse(benchmark::State& state)
{
    auto const task = make_task("0 30 8 * * mon-fri");
    for (auto _ : state)
        benchmark::DoNotOptimize(schedule::timetable(task.schedule, created));
}

BENCHMARK(cron_every_second);
BENCHMARK(cron_every_working_morning);
BENCHMARK(cron_every_leap_day);
BENCHMARK(fixed_rate);
BENCHMARK(cron_parse);

} // namespace
