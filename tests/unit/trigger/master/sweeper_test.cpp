// The corrections of the sweeper after hints were lost and after nodes and clients are gone.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/sweeper.hpp"

#include <catch2/catch.hpp>

namespace sweeper_test {

using namespace baton;
using namespace baton::trigger;
using protocol::attempt_cause;
using test::ids;

namespace {

struct fake_repeater final : repeater {
    void repeat(std::string const& node, std::vector<execution_id> ids) override { repeated[node].push_back(ids); }
    std::map<std::string, std::vector<std::vector<execution_id>>> repeated;
};

struct fixture : test::node_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    trigger::credits credits;
    test::fake_doubts in_doubt{open};
    fake_repeater repeats;
    std::vector<execution_id> loaded_retrying;
    execution_loader::steps steps{[this](open_execution& one, utc_time) { loaded_retrying.push_back(one.id); },
                                  [](open_execution&) {}, [](open_execution&) {}, [](open_execution&) {},
                                  [](open_execution const&) {}};
    execution_loader loader{scope(), book, steps};
    std::optional<sweeper> sweeps;

    explicit fixture(int others = 1) : node_stage(others)
    {
        sweeps.emplace(master_settings{}, scope(),
                       sweeper::dependencies{view(), credits, next, in_doubt, ended, repeats, loader});
        add_task(1);
        host.spawn(next.run());
    }
    ~fixture() { stage.end(); }

    void run() { host.spawn(sweeps->run()); }
    void add(std::vector<int> const& numbers)
    {
        for (auto const id : numbers)
            add_execution(id, 1, 3);
        load();
    }
    int attempt(int id)
    {
        return static_cast<int>(number("SELECT attempt FROM execution WHERE id = " + std::to_string(id)));
    }
    void set(int id, std::string const& what)
    {
        exec("UPDATE execution SET " + what + " WHERE id = " + std::to_string(id));
    }
};

} // namespace

TEST_CASE("executions that a client held go out as the next attempt when the client is gone, and its death is counted")
{
    fixture f;
    f.add({1, 2, 3});
    f.open.move(f.one(1), phase::held, "a");
    f.open.move(f.one(2), phase::held, "b");
    f.open.move(f.one(3), phase::held, "a");
    f.one(3).shard_instance = "a";
    f.sweeps->client_gone("a");
    f.pass(1s);
    CHECK(f.attempt(1) == 2);
    CHECK(f.one(1).deaths == 1);
    CHECK(f.attempt(2) == 1);
    CHECK(f.state(3) == "failed"); // its other clients have shards of their own
}

TEST_CASE("executions that a node had are in doubt when the node is gone, and it gets no more executions")
{
    fixture f(2);
    f.credits.hear("n1", f.room(5, 5));
    f.credits.hear("n2", f.room(5, 5));
    f.add({1, 2, 3});
    f.open.move(f.one(1), phase::assigned, "n1");
    f.open.move(f.one(2), phase::assigned, "n2");
    f.open.move(f.one(3), phase::assigned, "master");
    f.sweeps->nodes_changed();
    CHECK(f.in_doubt.added.empty());
    f.kill("n1");
    f.sweeps->nodes_changed();
    CHECK(f.in_doubt.added == std::map<execution_id, attempt_cause>{{execution_id{1}, attempt_cause::node_gone}});
    CHECK(f.credits.nodes() == std::set<std::string>{"n2"});
}

TEST_CASE("an assignment without a word for ten seconds is repeated to its node, and again ten seconds later")
{
    fixture f;
    f.add({1, 2});
    f.open.move(f.one(1), phase::assigned, "n1");
    f.open.move(f.one(2), phase::waiting);
    f.run();
    f.pass(9s);
    CHECK(f.repeats.repeated.empty());
    f.pass(3s);
    CHECK(f.repeats.repeated["n1"] == std::vector<std::vector<execution_id>>{ids({1})});
    f.pass(5s);
    CHECK(f.repeats.repeated["n1"].size() == 1);
    f.pass(6s);
    CHECK(f.repeats.repeated["n1"].size() == 2);
}

TEST_CASE("an execution that has ended in the ledger without a hint ends in memory")
{
    fixture f;
    f.add_client("a", "n1");
    f.add({1, 2});
    f.open.move(f.one(1), phase::held, "a");
    f.open.move(f.one(2), phase::held, "a");
    f.set(1, "state = 'succeeded', due_at = NULL");
    f.run();
    f.pass(6s);
    CHECK_FALSE(f.is_open(1));
    CHECK(f.one(2).phase == phase::held);
}

TEST_CASE("of many executions that clients hold a round compares 10,000 with the ledger, and the next one the rest")
{
    constexpr int all = 12'000;
    fixture f;
    f.add_client("a", "n1");
    auto const at = std::to_string(to_micros(f.start));
    f.exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
           "attempt, max_attempts, retry_delay_us, epoch, created_at) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
           "SELECT x + 1 FROM n WHERE x < " +
           std::to_string(all) + ") SELECT x, 'default', 1, 1, " + at + " + x, 0, 'schedule', 'planned', " + at +
           " + x, 1, 1, 0, 5, 1 FROM n");
    f.load(all);
    for (int id = 1; id <= all; ++id)
        f.open.move(f.one(id), phase::held, "a");
    f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL");
    f.pass(5s);
    f.run();
    REQUIRE(f.stage.time.run_until([&] { return f.open.size() < all; }, 5s));
    f.pass(500ms); // a round begins each second
    CHECK(f.open.size() == all - 10'000);
    f.pass(1s);
    CHECK(f.open.size() == 0);
}

TEST_CASE("a failed attempt whose hint was lost is followed by the next one")
{
    fixture f;
    f.add_client("a", "n1");
    f.add({1});
    f.open.move(f.one(1), phase::held, "a");
    f.set(1, "state = 'retrying'");
    f.run();
    f.pass(6s);
    CHECK(f.attempt(1) == 2);
    CHECK(f.one(1).phase == phase::waiting);
}

TEST_CASE("an overdue execution of the ledger that is not in memory is loaded")
{
    fixture f;
    f.add_execution(1, 1);
    f.add_execution(2, 1);
    f.set(2, "state = 'retrying'");
    f.run();
    f.pass(3s);
    CHECK(f.is_open(1));
    CHECK(f.loaded_retrying == ids({2}));
}

TEST_CASE("a request to cancel whose signal was lost is found in the row")
{
    fixture f;
    f.add_client("a", "n1");
    f.add({1});
    f.open.move(f.one(1), phase::held, "a");
    f.set(1, "cancel_requested_at = 1");
    f.run();
    f.pass(6s);
    CHECK(f.one(1).cancel_requested);
    CHECK(f.open.take_cancel_requests() == ids({1}));
}

TEST_CASE("work at a place that is neither a client nor a node is not left there")
{
    fixture f;
    f.add_client("a", "n1");
    f.add({1, 2});
    f.open.move(f.one(1), phase::held, "nowhere");
    f.open.move(f.one(2), phase::held, "a");
    f.pass(1s);
    f.add_client("b", "n1"); // the directory is read again, and does not show it
    f.run();
    f.pass(2s);
    CHECK(f.attempt(1) == 2);
    CHECK(f.attempt(2) == 1);
}

TEST_CASE("work at a client that may just have joined is left there until the clients have been read again")
{
    fixture f;
    f.add_client("a", "n1");
    f.add({1});
    f.pass(1s);
    f.open.move(f.one(1), phase::held, "newcomer");
    f.run();
    f.pass(3s);
    CHECK(f.attempt(1) == 1);
}

TEST_CASE("the clients of a node that is gone have their own time to find another home, and then are gone too")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "master");
    f.run();
    f.kill("n1"); // after four seconds
    f.pass(client_settings{}.ttl() - 2s);
    CHECK(f.text("SELECT state FROM client WHERE instance = 'a'") == "up");
    f.pass(8s);
    CHECK(f.text("SELECT state FROM client WHERE instance = 'a'") == "gone");
    CHECK(f.text("SELECT state FROM client WHERE instance = 'b'") == "up");
    CHECK(f.number("SELECT COUNT(*) FROM node WHERE incarnation = 'n1'") == 1);
    f.pass(60s);
    CHECK(f.number("SELECT COUNT(*) FROM node WHERE incarnation = 'n1'") == 0);
}

TEST_CASE("the clients of a node without a row are gone when it has stayed away for their ttl")
{
    fixture f;
    f.add_client("a", "stranger");
    f.pass(20s); // the nodes have been read for long
    f.run();
    f.pass(client_settings{}.ttl() - 1s);
    CHECK(f.text("SELECT state FROM client WHERE instance = 'a'") == "up");
    f.pass(4s);
    CHECK(f.text("SELECT state FROM client WHERE instance = 'a'") == "gone");
}

TEST_CASE("nothing is corrected while the master may not act")
{
    fixture f;
    f.add({1});
    f.open.move(f.one(1), phase::assigned, "n1");
    f.ship.lose();
    f.run();
    f.pass(30s);
    CHECK(f.repeats.repeated.empty());
}

} // namespace sweeper_test
