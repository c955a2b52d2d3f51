#pragma once

#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/broadcast_closer.hpp"
#include "trigger/master/broadcast_splitter.hpp"
#include "trigger/master/completions.hpp"

#include <string>
#include <vector>

namespace baton::test {

// The parts of a term that follow the ends of executions.
struct completions_stage : term_stage {
    trigger::completion_queue ended{open, stage.loop.get_executor()};
    trigger::suspect_line suspects{scope()};
    trigger::attempts next{scope(), ended, suspects};
    trigger::planning_watch watch{instant{}};
    trigger::planner planning{{}, of, {*ledger, book, open, ids, watch}, stage.loop.get_executor(), [] {}};
    trigger::completions following{scope(), {ended, next, planning, book}};
    trigger::broadcast_splitter splitter{scope(), ended, next, ids};
    trigger::broadcast_closer closer{scope(), ended, next};

    ~completions_stage() { stage.end(); }

    void run()
    {
        load();
        host.spawn(next.run());
        host.spawn(following.run());
        host.spawn(splitter.run());
        host.spawn(closer.run());
    }

    void add_client(std::string instance, std::vector<std::string> handlers = {"h"}, std::string project = "default")
    {
        storage::client_record row;
        row.instance = std::move(instance);
        row.project = std::move(project);
        row.service = "s";
        row.address = "http://127.0.0.1:1";
        row.secret = "0123456789abcdef";
        row.handlers = std::move(handlers);
        row.node = "n1";
        row.generation = 1;
        storage::clients table(*shared);
        auto call = [&]() -> awaitable<void> {
            co_await table.put(row);
            co_await clients->refresh();
        };
        stage.play(call());
    }
    // Records a client's result as a node does.
    void commit(std::string const& id, std::string const& outcome = "succeeded")
    {
        exec("UPDATE execution SET state = '" + outcome +
             "', due_at = NULL, ended_at = " + std::to_string(to_micros(stage.database.utc())) + " WHERE id = " + id);
    }
    void end(int id)
    {
        commit(std::to_string(id));
        following.finished({execution_id{id}, 1, protocol::state::succeeded});
    }
    // The database refuses this as it refuses a taken key.
    void poison(std::string const& statement)
    {
        exec("CREATE TRIGGER poison BEFORE " + statement + " BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
    }
    std::vector<execution_id> shards()
    {
        std::vector<execution_id> found;
        open.each([&](trigger::open_execution& one) {
            if (one.parent)
                found.push_back(one.id);
        });
        return found;
    }
};

inline nlohmann::json const broadcast{{"routing", "broadcast"}};
inline nlohmann::json const fixed_delay{{"schedule", {{"kind", "fixed_delay"}, {"every_ms", 10'000}}}};

} // namespace baton::test
