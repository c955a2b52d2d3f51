#include "libs/base/log.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/attempts.hpp"

#include <catch2/catch.hpp>

#include <optional>

namespace attempts_test {

using namespace baton;
using namespace baton::trigger;
using protocol::attempt_cause;

namespace {

struct fixture : test::term_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};

    explicit fixture(int executions = 1, int max_attempts = 2, nlohmann::json const& task = nlohmann::json::object())
    {
        add_task(1, task);
        for (int id = 1; id <= executions; ++id)
            add_execution(id, 1, max_attempts);
        load();
        host.spawn(next.run());
    }
    ~fixture() { stage.end(); }

    std::int64_t column(std::string const& name, int id = 1)
    {
        return number("SELECT " + name + " FROM execution WHERE id = " + std::to_string(id));
    }
};

} // namespace

TEST_CASE("the next attempt is in the ledger before it waits for its time")
{
    fixture f;
    f.open.move(f.one(1), phase::held, "client");
    f.next.open(f.one(1), f.start + 5s, attempt_cause::retry);
    CHECK(f.one(1).phase == phase::opening);
    f.pass(1s);
    CHECK(f.column("attempt") == 2);
    CHECK(f.column("due_at") == to_micros(f.start + 5s));
    CHECK(f.one(1).phase == phase::waiting);
    CHECK(f.one(1).attempt == 2);
    CHECK(f.one(1).max_attempts == 2);
    CHECK(f.open.next_due() <= f.start + 5s);
}

TEST_CASE("an execution that is ended while its next attempt is being opened does not go out again")
{
    fixture f;
    f.next.open(f.one(1), f.start, attempt_cause::take_over);
    f.next.skip(f.one(1), "another takes its place");
    f.next.open(f.one(1), f.start, attempt_cause::take_over); // it was read again
    f.pass(1s);
    CHECK(f.open.find(execution_id{1}) == nullptr);
    CHECK(f.text("SELECT state FROM execution WHERE id = 1") == "skipped");
    CHECK(f.column("attempt") <= 2);
    CHECK_FALSE(f.open.next_after_pause()); // it did not wait again
}

TEST_CASE("an attempt that was lost with its node does not count against the task's own attempts")
{
    fixture f;
    f.next.open(f.one(1), f.start, attempt_cause::node_gone);
    f.pass(1s);
    CHECK(f.column("max_attempts") == 3);
    CHECK(f.one(1).max_attempts == 3);
}

TEST_CASE("an attempt whose failure is recorded is not replaced as one that was lost")
{
    fixture f(2);
    f.exec("UPDATE execution SET state = 'retrying' WHERE id = 1");
    f.next.client_died(f.one(1), attempt_cause::client_gone);
    f.next.client_died(f.one(2), attempt_cause::client_gone);
    f.pass(500ms);
    CHECK(f.column("attempt", 1) == 1);
    CHECK(f.column("max_attempts", 1) == 2);
    CHECK(f.open.stale() == std::vector{execution_id{1}}); // the sweeper goes on with its retry
    CHECK(f.column("attempt", 2) == 2);
}

TEST_CASE("an execution that is lost again and again is sent again after pauses that double")
{
    fixture f;
    for (int lost = 0; lost < 4; ++lost) {
        auto const now = f.clock.now();
        f.next.open(f.one(1), now, attempt_cause::node_gone);
        f.pass(100ms);
        CHECK(f.one(1).due_at == now + (lost == 0 ? 0s : 1s * (1 << (lost - 1))));
    }
}

TEST_CASE("a clock that is set back delays no retry, and shortens none")
{
    fixture f(3, 3, {{"max_attempts", 3}, {"retry_delay_ms", 5'000}});
    f.next.retry(f.one(1), f.clock.now());
    f.pass(1s);
    auto const before = f.stage.database.utc();
    f.host.time().step_wall(-90s);
    f.next.retry(f.one(2), f.clock.now());
    f.next.retry_recorded(f.one(3), before + 5s); // its end was dated before the step
    f.pass(3'500ms);
    CHECK(f.open.take_due(f.clock.now(), 10).empty());
    f.pass(1s);
    CHECK(f.open.take_due(f.clock.now(), 10) == std::vector{execution_id{1}});
    f.pass(1s);
    CHECK(f.open.take_due(f.clock.now(), 10).size() == 2);
}

TEST_CASE("the pause before a retry follows the task's policy, and attempts that were lost do not lengthen it")
{
    fixture f(2, 9, {{"max_attempts", 9}, {"retry_delay_ms", 1'000}, {"retry", {{"backoff", "exponential"}}}});
    f.one(1).attempt = 3;
    f.exec("UPDATE execution SET attempt = 3");
    f.next.retry(f.one(1), f.start);
    f.one(2).attempt = 3;
    f.one(2).max_attempts = 10; // one attempt was lost
    f.next.retry_recorded(f.one(2), f.start + 1s);
    f.pass(1s);
    CHECK(f.one(1).due_at == f.start + 4s);
    CHECK(f.one(2).due_at == f.start + 2s);
}

TEST_CASE("an attempt that was lost with its client keeps the client's name and since when it had the attempt")
{
    fixture f(2);
    f.open.move(f.one(1), phase::held, "client-1");
    f.open.move(f.one(2), phase::assigned, "node-1");
    auto const held_since = f.clock.now();
    f.pass(3s);
    f.next.client_died(f.one(1), attempt_cause::client_gone);
    f.next.open(f.one(2), f.start, attempt_cause::node_gone);
    f.pass(1s);
    auto const text = [&](std::string const& column, int id) {
        return f.text("SELECT " + column + " FROM execution WHERE id = " + std::to_string(id));
    };
    CHECK(text("client", 1) == "client-1");
    CHECK(text("error", 1) == "given up: client_gone; client-1 had it since " + to_rfc3339(held_since));
    CHECK(text("client", 2).empty());
    CHECK(text("error", 2) == "given up: node_gone");
}

TEST_CASE("a death of the client costs a pause, and the last one fails the execution with a reason")
{
    fixture f;
    f.exec("UPDATE execution SET deaths = 1 WHERE id = 1");
    f.one(1).deaths = 1;
    f.next.client_died(f.one(1), attempt_cause::client_gone);
    f.pass(1s);
    CHECK(f.column("deaths") == 2);
    CHECK(f.one(1).deaths == 2);
    CHECK(f.one(1).due_at >= f.start + *protocol::pause_after_deaths(2, 3));
    f.next.client_died(f.one(1), attempt_cause::client_gone);
    f.pass(1s);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1") == protocol::reason_of_deaths(3));
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("an execution that is to be cancelled earns no further attempt")
{
    fixture f(2);
    f.one(1).cancel_requested = f.one(2).cancel_requested = true;
    f.next.open(f.one(1), f.start, attempt_cause::take_over);
    f.next.client_died(f.one(2), attempt_cause::client_gone);
    f.pass(1s);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.state(2) == "cancelled");
    CHECK(f.open.size() == 0);
}

TEST_CASE("a row that has changed meanwhile is read again and not overwritten")
{
    fixture f(2);
    f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 1");
    f.next.open(f.one(1), f.start, attempt_cause::retry);
    f.next.open(f.one(2), f.start, attempt_cause::retry);
    f.pass(1s);
    CHECK(f.state(1) == "succeeded");
    CHECK(f.column("attempt") == 1);
    CHECK(f.column("attempt", 2) == 2);
    CHECK(f.open.stale() == std::vector{execution_id{1}});
}

TEST_CASE("changes that fail because the database is down are written when it is back")
{
    fixture f(3);
    f.stage.database.crash_for(5s);
    f.next.open(f.one(1), f.start, attempt_cause::retry);
    f.next.cancel(f.one(2));
    f.next.fail(f.one(3), "no handler");
    f.pass(4s);
    CHECK(f.column("attempt") == 1);
    f.pass(6s);
    CHECK(f.column("attempt") == 2);
    CHECK(f.state(2) == "cancelled");
    CHECK(f.state(3) == "failed");
    CHECK(f.text("SELECT error FROM execution WHERE id = 3") == "no handler");
}

TEST_CASE("nothing is written while the master may not act")
{
    fixture f;
    f.ship.lose();
    f.next.open(f.one(1), f.start, attempt_cause::retry);
    f.pass(5s);
    CHECK(f.column("attempt") == 1);
}

TEST_CASE("many attempts are opened in groups")
{
    constexpr int many = 1'200;
    fixture f(many);
    auto const before = f.stage.database.calls();
    for (int id = 1; id <= many; ++id)
        f.next.open(f.one(id), f.start, attempt_cause::take_over);
    f.pass(5s);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE attempt = 2") == many);
    CHECK(f.stage.database.calls() - before == 3); // transactions of 500
}

TEST_CASE("an attempt that the database refuses fails its execution while others open, and alone it is tried again")
{
    fixture f(3);
    f.exec("INSERT INTO attempt (execution_id, attempt, cause, due_at, epoch) VALUES (2, 2, 'retry', 1, 4)");
    std::vector<std::string> lines;
    auto const listening = log::take_over([&](log::level which, std::string_view line) {
        if (which == log::level::error)
            lines.emplace_back(line);
    });
    f.next.open(f.one(2), f.start, attempt_cause::retry);
    f.pass(5min);
    CHECK(f.one(2).phase == phase::opening);
    CHECK(lines.size() == 1);
    auto const calls = f.stage.database.calls();
    f.pass(5min);
    CHECK(f.stage.database.calls() - calls <= 12);
    f.next.open(f.one(1), f.start, attempt_cause::retry);
    f.next.open(f.one(3), f.start, attempt_cause::retry);
    f.pass(1s);
    CHECK(f.column("attempt", 1) == 2);
    CHECK(f.column("attempt", 3) == 2);
    CHECK(f.state(2) == "failed");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 2").starts_with("its next attempt could not be recorded: "));
    CHECK_FALSE(f.is_open(2));
    CHECK(lines.size() == 2);
}

} // namespace attempts_test
