#pragma once

#include "libs/base/id.hpp"
#include "libs/base/random.hpp"
#include "tests/support/stores.hpp"

#include <string>
#include <vector>

namespace baton::test {

// A migrated store with two databases, as a node has them, and the ledger over both.
class scheduler_bench {
public:
    explicit scheduler_bench(storage::engine kind)
        : home(kind),
          deciding(home.migrated().open({.sessions = 1})),
          shared(home.open({.sessions = 2})),
          ledger(*deciding, *shared)
    {}

    // A task row as it would be after registration, due at `next`.
    void add_task(int id, utc_time next, int version = 1)
    {
        auto const n = std::to_string(id);
        auto const v = std::to_string(version);
        home.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
                  "next_fire_at, created_at, updated_at) VALUES (" +
                  n + ", 'default', 'task" + n + "', " + v + ", 1, 's', 'h', 'fixed_rate', '{\"d\": " + n + "}', " +
                  std::to_string(to_micros(next)) + ", 1, 1)");
        home.exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES (" +
                  n + ", " + v + ", 'created', 1, '{\"d\": " + n + "}', 1)");
    }

    storage::new_execution firing(int id, int task, utc_time at, int max_attempts = 1) const
    {
        storage::new_execution row;
        row.id = execution_id{id};
        row.project = "default";
        row.task = task_id{task};
        row.version = 1;
        row.scheduled_at = at;
        row.max_attempts = max_attempts;
        row.retry_delay = 10s;
        return row;
    }

    // Plans one firing of a new task without ceremony.
    void plan_one(int id, int task, utc_time at, int max_attempts = 1)
    {
        add_task(task, at);
        storage::advance const step{task_id{task}, 1, at, at + 60s, std::nullopt};
        auto const planned = wait_for(ledger.plan(mine, {step}, {firing(id, task, at, max_attempts)}));
        if (!planned)
            throw std::logic_error("the bench could not plan");
    }

    storage::result_row result(int id, protocol::state outcome, int attempt = 1) const
    {
        storage::result_row row;
        row.id = execution_id{id};
        row.attempt = attempt;
        row.outcome = outcome;
        row.client = "client-1";
        row.started_at = from_micros(1'000);
        if (outcome != protocol::state::running)
            row.finished_at = from_micros(2'000);
        return row;
    }
    void record(storage::result_row const& row) { wait_for(ledger.record({row}, "node-1")); }

    std::string state(int id) { return home.text("SELECT state FROM execution WHERE id = " + std::to_string(id)); }
    std::int64_t column(int id, std::string const& name)
    {
        return home.number("SELECT " + name + " FROM execution WHERE id = " + std::to_string(id));
    }

    storage::fence mine{"master", 5};
    store home;
    std::unique_ptr<storage::database> deciding;
    std::unique_ptr<storage::database> shared;
    storage::ledger ledger;
};

} // namespace baton::test
