#pragma once

#include "libs/sim/sim.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace baton::test {

inline constexpr int null = -1;

// Hosts with a session each, which ask for numbers, and when the answers came. A way takes a millisecond.
struct session_fixture {
    struct node {
        sim::host& host;
        std::unique_ptr<storage::database> database;
    };
    struct answer {
        std::optional<long long> value{}; // -1 for NULL; none yet, or a failure
        std::string failure{};
        instant at{};
    };
    sim::stage stage{7};
    std::map<std::string, node> nodes;
    std::map<std::string, answer> answers; // by what was asked, or who asked

    session_fixture();
    ~session_fixture() { stage.end(); }

    void start(std::string const& name, sim::connection how);

    // Begins a call of a node, whose answer will be under the node's name.
    void begin(std::string const& who, std::string const& sql, bool in_transaction = false);
    void begin_get(std::string const& who, std::string const& seconds = "5");
    // The same and waits for the answer; -1 for NULL, -2 for a failure.
    long long ask(std::string const& who, std::string const& sql);
    long long get(std::string const& who) { return ask(who, "SELECT baton_get_lock('x', 0)"); }
    long long id(std::string const& who) { return ask(who, "SELECT baton_connection_id()"); }

    bool done(std::string const& who) { return answers[who].at != instant{}; }
    long long got(std::string const& who) { return answers[who].value.value_or(-2); }
    long long look(std::string const& sql);
    long long holder() { return look("SELECT baton_lock_holder('x')"); }
    void pass(duration span) { stage.time.run_for(span); }
    duration freed_within(duration limit);

private:
    awaitable<void> call(std::string who, std::string sql, bool in_transaction);
};

} // namespace baton::test
