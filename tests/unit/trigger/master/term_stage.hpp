#pragma once

#include "libs/sim/sim.hpp"
#include "libs/storage/statement.hpp"
#include "trigger/master/term_scope.hpp"

#include <optional>
#include <string>

namespace baton::test {

// One term of epoch 5 on a simulated database: what the parts of a term share, and SQL for arranging and for looking.
// Call `stage.end()` (or let this be destroyed last) before the parts that run on `host`.
struct term_stage {
    sim::stage stage{23};
    sim::host& host = stage.add_host("master");
    seeded_random random{9};
    std::unique_ptr<storage::database> shared;
    std::optional<storage::ledger> ledger;
    std::optional<trigger::client_directory> clients;
    trigger::cluster_clock clock{host.time()};
    trigger::mastership ship;
    trigger::term of{{"master", 5}, ship, host.time(), clock};
    trigger::open_set open{host.time()};
    waker due_changed{stage.loop.get_executor()};
    id_generator ids{host.time(), random};
    trigger::task_book book;
    utc_time start = stage.database.utc();

    term_stage()
    {
        stage.make_tables();
        shared = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        ledger.emplace(*shared, *shared);
        clients.emplace(*shared, host.time(), stage.loop.get_executor());
        ship.extend(5, host.time().now(), 240h, 0s);
        exec("INSERT INTO lock_fence (namespace, epoch) VALUES ('master', 5)");
    }

    trigger::term_scope scope() { return {of, *ledger, open, *clients, due_changed, stage.loop.get_executor()}; }
    void pass(duration span) { stage.time.run_for(span); }

    void exec(std::string const& sql)
    {
        stage.database.inspect([&](soci::session& session) {
            storage::statement change(session);
            change(storage::fragment{sql.c_str()});
            change.execute();
        });
    }
    std::int64_t number(std::string const& sql)
    {
        std::int64_t value = 0;
        look(sql, [&](storage::row& cells) { value = cells.number(); });
        return value;
    }
    std::string text(std::string const& sql)
    {
        std::string value;
        look(sql, [&](storage::row& cells) { value = cells.text(); });
        return value;
    }
    std::string state(int id) { return text("SELECT state FROM execution WHERE id = " + std::to_string(id)); }

    // A task of service "s" and handler "h", with these members in place of the defaults.
    void add_task(int id, nlohmann::json members = nlohmann::json::object())
    {
        nlohmann::json definition{{"name", "t" + std::to_string(id)},
                                  {"service", "s"},
                                  {"handler", "h"},
                                  {"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}}}};
        definition.update(members);
        auto const n = std::to_string(id);
        exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
             "created_at, updated_at) VALUES (" +
             n + ", 'default', 't" + n + "', 1, 1, 's', 'h', 'any', '" + definition.dump() + "', 1, 1)");
        exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES (" + n +
             ", 1, 'created', 1, '" + definition.dump() + "', 1)");
    }

    // A firing of the task that is due now, in the ledger only.
    void add_execution(int id, int task, int max_attempts = 1)
    {
        auto const n = std::to_string(id);
        auto const at = std::to_string(to_micros(start) + id);
        exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
             "attempt, max_attempts, retry_delay_us, epoch, created_at) VALUES (" +
             n + ", 'default', " + std::to_string(task) + ", 1, " + at + ", 0, 'schedule', 'planned', " + at + ", 1, " +
             std::to_string(max_attempts) + ", 0, 5, 1)");
    }

    // Loads what is open in the ledger, as a take-over does.
    void load(int most = 10'000)
    {
        auto read = [&]() -> awaitable<void> {
            trigger::open_set::reading const now(open);
            auto const rows = co_await ledger->open(utc_time::max(), {}, most);
            for (auto const& row : rows)
                open.add(
                    trigger::make_open_execution(row, book.get(row.task, row.version, row.definition, std::nullopt)),
                    now);
        };
        stage.play(read());
    }
    trigger::open_execution& one(int id)
    {
        auto* found = open.find(execution_id{id});
        if (found == nullptr)
            throw std::logic_error("execution " + std::to_string(id) + " is not open");
        return *found;
    }
    bool is_open(int id) { return open.find(execution_id{id}) != nullptr; }

private:
    template <class Look>
    void look(std::string const& sql, Look const& at)
    {
        auto const expression = "(" + sql + ")";
        stage.database.inspect([&](soci::session& session) {
            storage::statement(session).column(storage::fragment{expression.c_str()}).each(at);
        });
    }
};

} // namespace baton::test
