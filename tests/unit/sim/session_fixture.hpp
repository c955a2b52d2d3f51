#pragma once

#include "libs/sim/sim.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace baton::test {

inline constexpr int null = -1;

// Hosts with one session each, their queries for numbers, and the times of the answers. The latency is 1 ms.
struct session_fixture {
    struct node {
        sim::host& host;
        std::unique_ptr<storage::database> database;
    };
    struct answer {
        std::optional<long long> value{}; // -1 for NULL; empty before the answer and after a failure
        std::string failure{};
        instant at{};
    };
    sim::stage stage{7};
    std::map<std::string, node> nodes;
    std::map<std::string, answer> answers; // by query or by node name

    session_fixture();
    ~session_fixture() { stage.end(); }

    void start(std::string const& name, sim::connection settings);

    // Starts a call of a node. Its answer will be stored under the node's name.
    void begin(std::string const& name, std::string const& sql, bool in_transaction = false);
    void begin_get(std::string const& name, std::string const& seconds = "5");
    // Makes a call and waits for the answer: -1 for NULL, -2 for a failure.
    long long ask(std::string const& name, std::string const& sql);
    long long get(std::string const& name) { return ask(name, "SELECT baton_get_lock('x', 0)"); }
    long long id(std::string const& name) { return ask(name, "SELECT baton_connection_id()"); }

    bool done(std::string const& name) { return answers[name].at != instant{}; }
    long long got(std::string const& name) { return answers[name].value.value_or(-2); }
    long long look(std::string const& sql);
    long long holder() { return look("SELECT baton_lock_holder('x')"); }
    void pass(duration span) { stage.time.run_for(span); }
    duration freed_within(duration limit);

private:
    awaitable<void> call(std::string name, std::string sql, bool in_transaction);
};

} // namespace baton::test
