#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/deadlines.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <optional>
#include <set>

namespace deadlines_test {

using namespace baton;
using namespace baton::trigger;

namespace {

nlohmann::json const limits{{"timeout_ms", 10'000}, {"stop_grace_ms", 5'000}};

// An execution that a client of node n1 has.
struct fixture : test::node_stage {
    completion_queue done{open, stage.loop.get_executor()};
    std::vector<execution_id> forgotten;
    std::vector<execution_id> found;
    unresponsive_handlers handlers{scope(),
                                   calls,
                                   book,
                                   {[this](auto const& row, auto const&) { found.push_back(row.id); },
                                    [this](execution_id id) { forgotten.push_back(id); }}};
    deadlines watch{scope(), done, handlers};

    explicit fixture(nlohmann::json const& task = limits) : node_stage(1)
    {
        add_task(1, task);
        add_execution(1, 1, 3);
        load();
        open.move(one(1), phase::held, "client-1");
        host.spawn(watch.run());
        host.spawn(handlers.run());
    }
    ~fixture() { stage.end(); }

    // The client answers that it runs the execution, or that it has ended.
    void client_has_it(bool finished)
    {
        calls.questions["n1"] = [finished](protocol::ask_request const&) {
            protocol::ask_answer out;
            out.answered.push_back({"client-1", {{execution_id{1}, 1, finished, finished}}});
            return out;
        };
    }
    std::string reason() { return text("SELECT reason FROM execution WHERE id = 1"); }
    std::string stops() { return text("SELECT GROUP_CONCAT(attempt || ' ' || cause) FROM stop_request"); }
    // That a term before this one has noted.
    void asked_before(protocol::stop_cause why, int attempt = 1)
    {
        one(1).stop = storage::known_stop{attempt, why, of.clock.now() - 3s};
    }
    int rows() { return static_cast<int>(number("SELECT COUNT(*) FROM unresponsive")); }
    void expire()
    {
        watch.started(execution_id{1}, 1);
        pass(16s);
    }
};

} // namespace

TEST_CASE("an execution whose handler does not return ends its grace period after the timeout, for good")
{
    fixture f;
    f.watch.started(execution_id{1}, 1);
    f.watch.started(execution_id{1}, 1); // told again
    f.pass(10'300ms);
    CHECK(f.state(1) == "planned");
    f.pass(3'700ms);
    CHECK(f.state(1) == "stopping");
    CHECK(f.stops() == "1 timeout");
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE cancel_requested_at IS NULL") == 1);
    f.pass(2s);
    CHECK(f.state(1) == "timed_out");
    CHECK(f.stops() == "1 timeout");
    CHECK(f.reason() == "the handler did not return within 5000 ms after its timeout of 10000 ms");
    CHECK(f.text("SELECT outcome FROM execution WHERE id = 1") == "timed_out");
    CHECK(f.text("SELECT client FROM unresponsive WHERE execution_id = 1") == "client-1");
    CHECK(f.number("SELECT COUNT(*) FROM dead_letter") == 1);
    CHECK_FALSE(f.is_open(1));
    CHECK(f.handlers.has(execution_id{1}));
}

TEST_CASE("the timeout of an execution that a new master finds at its client counts from the handler's start")
{
    fixture f;
    auto const began = f.stage.database.utc();
    f.watch.started(execution_id{1}, 1, 12s);
    f.pass(2s);
    CHECK(f.state(1) == "stopping");
    auto const asked = f.number("SELECT requested_at FROM stop_request");
    CHECK(std::abs(asked - to_micros(began - 2s)) < 200'000);
    f.pass(2s);
    CHECK(f.state(1) == "timed_out");
}

TEST_CASE("an execution whose handler has run for longer than its limits ends as soon as a new master finds it")
{
    fixture f;
    f.watch.started(execution_id{1}, 1, 1h);
    f.pass(1s);
    CHECK(f.state(1) == "timed_out");
}

TEST_CASE("a handler that returns within half a second of the request to stop costs no write")
{
    fixture f;
    f.watch.started(execution_id{1}, 1);
    f.pass(10'300ms);
    SECTION("its result was recorded, and the hint has not come")
    {
        f.exec("UPDATE execution SET state = 'retrying' WHERE id = 1");
        f.pass(1s);
        CHECK(f.state(1) == "retrying");
    }
    SECTION("it is known to have ended")
    {
        f.open.erase(execution_id{1});
        f.pass(1s);
        CHECK(f.state(1) == "planned");
    }
    CHECK(f.number("SELECT COUNT(*) FROM stop_request") == 0);
}

TEST_CASE("a new master goes on with the grace period of a request to stop that the last one has noted")
{
    fixture f;
    SECTION("after a timeout, although its client does not say how long the handler has run")
    {
        f.asked_before(protocol::stop_cause::timeout);
        f.watch.started(execution_id{1}, 1);
        f.pass(1s);
        CHECK(f.state(1) == "stopping");
        f.pass(1500ms);
        CHECK(f.state(1) == "timed_out");
    }
    SECTION("after a cancel")
    {
        f.asked_before(protocol::stop_cause::cancel);
        f.open.request_cancel(f.one(1));
        f.watch.stopping(f.one(1));
        f.pass(2500ms);
        CHECK(f.state(1) == "cancelled");
    }
    SECTION("the request was for an earlier attempt")
    {
        f.asked_before(protocol::stop_cause::timeout, 0);
        f.watch.started(execution_id{1}, 1);
        f.pass(5s);
        CHECK(f.state(1) == "planned");
    }
}

TEST_CASE("an end whose answer was lost is found again when it is repeated")
{
    fixture f;
    f.expire();
    storage::ended_runs again;
    auto repeat = [&]() -> awaitable<void> {
        std::vector<storage::unresponsive_attempt> const same{{execution_id{1}, 1, "client-1"}};
        again = co_await f.ledger->end_unresponsive(f.of.fence, same);
    };
    f.stage.play(repeat());
    CHECK(again.ended == std::vector{execution_id{1}});
    CHECK(f.rows() == 1);
    CHECK(f.number("SELECT COUNT(*) FROM dead_letter") == 1);
}

TEST_CASE("a further attempt that does not return has its outcome in its own row")
{
    fixture f;
    f.exec("UPDATE execution SET attempt = 2 WHERE id = 1");
    f.exec("INSERT INTO attempt (execution_id, attempt, cause, due_at, epoch) VALUES (1, 2, 'retry', 1, 5)");
    f.one(1).attempt = 2;
    f.watch.started(execution_id{1}, 2);
    f.pass(16s);
    CHECK(f.state(1) == "timed_out");
    CHECK(f.text("SELECT outcome FROM attempt") == "timed_out");
    CHECK(f.text("SELECT COALESCE(outcome, 'none') FROM execution") == "none");
}

TEST_CASE("an execution ends as cancelled when its handler does not return after a request to cancel")
{
    nlohmann::json const grace{{"stop_grace_ms", 5'000}};
    fixture f(grace);
    f.open.request_cancel(f.one(1));
    f.watch.stopping(f.one(1));
    f.pass(4s);
    CHECK(f.state(1) == "stopping");
    CHECK(f.stops() == "1 cancel");
    f.watch.stopping(f.one(1)); // the request is repeated, the period is not
    f.pass(2s);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.reason() == "the handler did not return within 5000 ms after the request to cancel");
    CHECK(f.number("SELECT COUNT(*) FROM dead_letter") == 0);
    CHECK(f.rows() == 1);
}

TEST_CASE("an execution that ended in time, or whose next attempt is under way, is left alone")
{
    fixture f;
    f.watch.started(execution_id{1}, 1);
    SECTION("its result was recorded, and the hint has not come")
    {
        f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 1");
        f.pass(16s);
        CHECK(f.state(1) == "succeeded");
        CHECK_FALSE(f.handlers.has(execution_id{1}));
    }
    SECTION("it is at its next attempt")
    {
        f.one(1).attempt = 2;
        f.pass(16s);
        CHECK(f.state(1) == "planned");
    }
    SECTION("it is in doubt: nobody knows who has it")
    {
        f.open.move(f.one(1), phase::in_doubt);
        f.pass(20s);
        CHECK(f.state(1) == "planned");
        f.open.move(f.one(1), phase::held, "client-1");
        f.pass(2s);
        CHECK(f.state(1) == "timed_out");
        return;
    }
    CHECK(f.rows() == 0);
}

TEST_CASE("without a timeout a running execution has no deadline", "[large]")
{
    fixture f(nlohmann::json::object());
    f.watch.started(execution_id{1}, 1);
    f.pass(1h);
    CHECK(f.state(1) == "planned");
}

TEST_CASE("an unresponsive handler is forgotten when its client does not have it any more")
{
    fixture f;
    f.add_client("client-1", "n1");
    f.client_has_it(false);
    f.expire();
    f.pass(10s);
    CHECK(f.forgotten.empty());
    f.client_has_it(true);
    f.pass(3s);
    CHECK(f.forgotten == std::vector{execution_id{1}});
    CHECK(f.rows() == 0);
}

TEST_CASE("an unresponsive handler is forgotten when its client is gone, and when a person releases it")
{
    fixture f;
    f.add_client("client-1", "n1");
    f.client_has_it(false);
    f.expire();
    f.pass(10s);
    REQUIRE(f.forgotten.empty());
    SECTION("gone")
    {
        f.bury_client("client-1");
    }
    SECTION("released")
    {
        f.exec("DELETE FROM unresponsive");
    }
    f.pass(5s);
    CHECK(f.forgotten == std::vector{execution_id{1}});
    CHECK(f.rows() == 0);
}

TEST_CASE("a fixed delay waits for the end of an unresponsive handler")
{
    auto task = limits;
    task["schedule"] = {{"kind", "fixed_delay"}, {"every_ms", 1'000}};
    fixture f(task);
    f.exec("UPDATE task SET waiting_for = 1 WHERE id = 1");
    f.expire();
    CHECK(f.done.delayed(10).empty());
    auto const ready = [&] {
        std::size_t found = 0;
        auto look = [&]() -> awaitable<void> {
            execution_id after{};
            auto const rows = co_await f.ledger->delayed_ready(after, 10);
            found = rows.size();
        };
        f.stage.play(look());
        return found;
    };
    auto const ready_by_id = [&] {
        std::size_t found = 0;
        auto look = [&]() -> awaitable<void> {
            std::vector<execution_id> const ended{execution_id{1}};
            auto const rows = co_await f.ledger->delayed_ready(ended);
            found = rows.size();
        };
        f.stage.play(look());
        return found;
    };
    CHECK(ready() == 0);
    CHECK(ready_by_id() == 0); // the answer of the write that ended it may be lost, and the sweeper finds it ended
    f.exec("DELETE FROM unresponsive");
    CHECK(ready() == 1);
    CHECK(ready_by_id() == 1);
}

TEST_CASE("a new term knows the unresponsive handlers of the term before")
{
    fixture f;
    f.expire();
    fixture* const later = &f;
    unresponsive_handlers next{f.scope(),
                               f.calls,
                               f.book,
                               {[later](auto const& row, auto const& task) {
                                    later->found.push_back(row.id);
                                    CHECK(row.client == "client-1");
                                    CHECK(task.definition.name == "t1");
                                },
                                [](execution_id) {}}};
    f.stage.play(next.load());
    CHECK(f.found == std::vector{execution_id{1}});
    CHECK(next.has(execution_id{1}));
}

} // namespace deadlines_test
