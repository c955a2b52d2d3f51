// A whole term when clients return, limits are raised and clocks are set back.

#include "tests/unit/trigger/master/master_stage.hpp"

#include <catch2/catch.hpp>

namespace master_returns_test {

using namespace baton;
using namespace baton::trigger;
using protocol::return_cause;
using test::ids;
using fixture = test::master_stage;

TEST_CASE("the limits of an execution hold while its client runs an earlier attempt")
{
    nlohmann::json const limited{
        {"timeout_ms", 5'000}, {"stop_grace_ms", 2'000}, {"concurrency", {{"limit", 1}, {"when_full", "wait"}}}};
    auto const unresponsive = "SELECT client || ' ' || attempt FROM unresponsive WHERE execution_id = 1";
    SECTION("its timeout and its grace period")
    {
        fixture f(1, limited);
        f.return_under_another_name();
        f.pass(6s);
        CHECK(f.state(1) == "stopping");
        f.pass(2s);
        CHECK(f.state(1) == "timed_out");
        CHECK(f.text(unresponsive) == "b 1");
        CHECK(f.lead->open() == 0);
    }
    SECTION("a cancel")
    {
        fixture f(1, limited);
        f.return_under_another_name();
        f.request_cancel(1);
        f.pass(500ms);
        CHECK(f.cancelled == ids({1}));
        f.pass(3s);
        CHECK(f.state(1) == "cancelled");
        CHECK(f.text(unresponsive) == "b 1");
    }
    SECTION("the limit of the whole execution")
    {
        fixture f(1, {{"limits", {{"total_ms", 8'000}}}});
        f.return_under_another_name();
        f.pass(6s);
        CHECK(f.state(1) == "timed_out");
        CHECK(f.text(unresponsive) == "b 1");
    }
}

TEST_CASE("an execution whose client runs an earlier attempt goes out again when that has ended")
{
    fixture f(2, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    f.return_under_another_name();
    f.pass(10s);
    CHECK(f.attempt() == 2);
    SECTION("by its handler")
    {
        f.held.clear();
        f.pass(5s);
        CHECK(f.attempt() == 3);
        CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 1);
    }
    SECTION("with the client")
    {
        f.add_client("c", "n1");
        f.client = "c";
        f.held.clear();
        f.bury_client("b");
        f.lead->client_gone("b");
        f.pass(5s);
        CHECK(f.attempt() == 3);
    }
    SECTION("with a success, which ends the execution and gives its place to the next one")
    {
        f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 1");
        protocol::report_request one;
        one.finished.push_back({execution_id{1}, 1, protocol::state::succeeded, 1});
        f.report(one);
        f.pass(500ms);
        CHECK(f.fired().back() == execution_id{2});
    }
}

TEST_CASE("an execution whose client runs an earlier attempt, and is not in the directory yet, opens no attempts")
{
    fixture f;
    f.bury_client("a");
    f.lead->client_gone("a");
    f.client = "b"; // which has just come back under this name
    f.held = {{execution_id{1}, 0, false, false}};
    std::size_t answered = 0;
    for (int i = 0; i < 90; ++i) {
        for (; answered < f.assigned.size(); ++answered)
            f.delivered(1, f.attempt(), f.attempt() == 1 ? 1 : f.attempt() - 1);
        f.pass(10ms);
    }
    CHECK(f.attempt() == 1);
    f.add_client("b", "n1");
    f.pass(3s);
    CHECK(f.attempt() == 1);
}

TEST_CASE("no number of answers that an execution is unknown opens attempts without pauses")
{
    fixture f;
    std::size_t answered = 0;
    for (int i = 0; i < 1'000; ++i) {
        for (; answered < f.assigned.size(); ++answered) {
            protocol::report_request one;
            one.undelivered.push_back(
                {execution_id{1}, f.attempt(), return_cause::in_doubt, "a", "because", f.assigned.back().number});
            f.report(one);
        }
        f.pass(10ms);
    }
    CHECK(f.attempt() > 2);
    CHECK(f.attempt() <= 6);
}

TEST_CASE("an edit that raises a concurrency limit, or removes it, admits at once")
{
    fixture f(4, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    f.delivered(1);
    f.pass(1s);
    REQUIRE(f.fired() == ids({1}));
    auto const edit = [&f](std::string const& version, nlohmann::json const& concurrency) {
        auto const definition = nlohmann::json{
            {"name", "t1"},
            {"service", "s"},
            {"handler", "h"},
            {"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}}},
            {"concurrency",
             concurrency}}.dump();
        f.exec("UPDATE task SET version = " + version + ", definition = '" + definition + "' WHERE id = 1");
        f.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (" + version + ", 'task', 1, " +
               std::to_string(to_micros(f.stage.database.utc())) + ")");
        f.lead->signal();
        f.pass(500ms);
    };
    edit("2", {{"limit", 3}, {"when_full", "wait"}});
    CHECK(f.fired() == ids({1, 2, 3}));
    edit("3", {{"limit", 0}});
    CHECK(f.fired() == ids({1, 2, 3, 4}));
}

TEST_CASE("while the clock stands still because it was set back, retries go on and the master tells until when")
{
    fixture f(2, {{"retry_delay_ms", 5'000}, {"max_attempts", 3}});
    f.delivered(1);
    f.delivered(2);
    protocol::report_request one;
    one.finished.push_back({execution_id{1}, 1, protocol::state::failed, 1});
    f.report(one);
    f.pass(2s);
    f.host.time().step_wall(-90s);
    one.finished[0].execution = execution_id{2};
    f.report(one);
    f.pass(2s);
    CHECK(f.fired() == ids({1, 2}));
    auto const said = f.lead->cannot_plan().value_or("");
    CHECK(said == "the clock was set back, and firings wait until " + to_rfc3339(f.clock.now()));
    f.pass(2s);
    CHECK(f.fired() == ids({1, 2, 1}));
    f.pass(2s);
    CHECK(f.fired() == ids({1, 2, 1, 2}));
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE due_at > (SELECT MAX(fired_until) FROM lock_fence)") == 0);
    f.pass(90s);
    CHECK_FALSE(f.lead->cannot_plan());
}

} // namespace master_returns_test
