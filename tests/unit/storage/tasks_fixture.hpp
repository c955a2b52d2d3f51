#pragma once

#include "libs/base/random.hpp"
#include "libs/schedule/plan.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::test {

// The first multiple of a period, counted from the epoch, that is not before `from`.
inline utc_time up_to_grid(utc_time from, duration every)
{
    auto const rest = from.time_since_epoch() % every;
    return rest == 0us ? from : from + (every - rest);
}

// Fixed rates count from the epoch, so that they fire on the grid of their period.
inline protocol::task_definition definition(std::string name,
                                            protocol::schedule_kind kind = protocol::schedule_kind::fixed_rate)
{
    using protocol::schedule_kind;
    protocol::task_definition task;
    task.name = std::move(name);
    task.service = "billing";
    task.handler = "close";
    task.schedule.kind = kind;
    if (kind == schedule_kind::fixed_rate || kind == schedule_kind::fixed_delay)
        task.schedule.every = 1s;
    if (kind == schedule_kind::fixed_rate)
        task.schedule.start_at = utc_time{};
    return task;
}

// A migrated store with a ledger of a term that leads, and the tasks of a web beside it.
class tasks_fixture : public scheduler_bench {
public:
    explicit tasks_fixture(storage::engine kind, duration lead = 2s)
        : scheduler_bench(kind), tasks(*shared, schedule::plan_edit, lead)
    {
        wait_for(ledger.raise(mine));
    }

    storage::edit_result create(protocol::task_definition task) { return wait_for(tasks.create(ids, std::move(task))); }
    storage::edit_result edit(task_id id, std::optional<int> seen, storage::edit_action action,
                              std::function<void(protocol::task_definition&)> const& change)
    {
        return wait_for(tasks.edit(id, seen, action, ids, [&](storage::task_record const& record) {
            auto task = record.definition;
            change(task);
            return task;
        }));
    }
    void move_next(task_id id, utc_time at)
    {
        home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(at)) +
                  " WHERE id = " + std::to_string(id.value()));
    }
    // Plans firings of a registered task, with ids from `first_id` on.
    void plan(task_id task, int first_id, std::vector<utc_time> const& at, utc_time next)
    {
        auto const record = wait_for(tasks.find(task)).value();
        std::vector<storage::new_execution> rows;
        for (auto const each : at) {
            rows.push_back(firing(first_id++, 1, each));
            rows.back().task = task;
            rows.back().version = record.version;
        }
        storage::advance const step{task, record.version, record.next_fire_at.value(), next, std::nullopt};
        if (!wait_for(ledger.plan(mine, {step}, rows)))
            throw std::logic_error("the fixture could not plan");
    }

    system_time time;
    seeded_random chance{Catch::rngSeed()};
    id_generator ids{time, chance};
    storage::tasks tasks;
};

} // namespace baton::test
