// A whole term when clients give executions back that they have not begun.

#include "tests/unit/trigger/master/master_stage.hpp"

#include <catch2/catch.hpp>

namespace given_back_test {

using namespace baton;
using namespace baton::trigger;
using protocol::return_cause;
using test::ids;
using fixture = test::master_stage;

TEST_CASE("an execution that its client has given back goes out again as the same attempt, and is no death")
{
    fixture f;
    REQUIRE(f.fired() == ids({1}));
    f.delivered(1);
    f.undelivered(1, return_cause::given_back, f.assigned.back().number);
    f.pass(500ms);
    CHECK(f.fired() == ids({1, 1}));
    CHECK(f.attempt() == 1);
    CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 0);
    CHECK(f.assigned.back().number > f.assigned.front().number);

    f.delivered(1);
    f.undelivered(1, return_cause::given_back, f.assigned.front().number); // comes late
    f.pass(500ms);
    CHECK(f.fired() == ids({1, 1}));
}

TEST_CASE("what is given back after the clients were asked about it goes out as the next attempt, and is no death")
{
    fixture f;
    f.held = {{execution_id{1}, 1, false, false}};
    f.undelivered(1, return_cause::in_doubt); // clients that do not have it begin attempt 1 no more
    f.pass(1s);
    REQUIRE(f.fired() == ids({1}));
    f.undelivered(1, return_cause::given_back);
    f.pass(500ms);
    CHECK(f.fired() == ids({1, 1}));
    CHECK(f.assigned.back().executions.back().work.attempt == 2);
    CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 0);
    CHECK(f.number("SELECT max_attempts FROM execution WHERE id = 1") == 4);
}

TEST_CASE("what is given back while it is in doubt goes out as the next attempt, though an answer comes late")
{
    fixture f;
    f.client.clear(); // no answer yet
    f.undelivered(1, return_cause::in_doubt);
    f.pass(300ms);
    SECTION("its client has given it back")
    {
        f.undelivered(1, return_cause::given_back);
        f.client = "a";
        f.held = {{execution_id{1}, 1, false, false}}; // as it was before
        f.pass(2s);
        CHECK(f.fired() == ids({1, 1}));
        CHECK(f.attempt() == 2);
        CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 0);
    }
    SECTION("its client has lost it, which counts as a death")
    {
        f.undelivered(1, return_cause::lost, 0);
        f.client = "a";
        f.held = {{execution_id{1}, 1, false, false}};
        f.pass(4s);
        CHECK(f.fired() == ids({1, 1}));
        CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 1);
    }
    SECTION("the report is of an earlier assignment")
    {
        f.undelivered(1, return_cause::given_back, -1);
        f.client = "a";
        f.held = {{execution_id{1}, 1, false, false}};
        f.pass(2s);
        CHECK(f.fired() == ids({1}));
        CHECK(f.attempt() == 1);
    }
}

TEST_CASE("a delivery before an execution was given back is not taken for a later one")
{
    fixture f;
    f.delivered(1);
    auto const first = f.assigned.back().number;
    f.undelivered(1, return_cause::given_back, first);
    f.pass(500ms);
    REQUIRE(f.fired() == ids({1, 1}));
    protocol::report_request late;
    late.delivered.push_back({execution_id{1}, 1, "a", 0, first});
    f.report(late);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number);
    f.pass(500ms);
    CHECK(f.fired() == ids({1, 1, 1})); // the node may return it still
}

TEST_CASE("what was given back is cancelled if a person or the end of its task wants that, and does not go out")
{
    fixture f;
    f.delivered(1);
    SECTION("a cancel")
    {
        f.request_cancel(1);
        f.pass(200ms);
        f.undelivered(1, return_cause::given_back, 1);
        f.pass(200ms);
        CHECK(f.state(1) == "cancelled");
    }
    SECTION("a stop that this term has read")
    {
        auto const line = std::to_string(to_micros(f.stage.database.utc()));
        f.exec("INSERT INTO stopped_task VALUES (1, 1, 2, " + line + ", 'task disabled')");
        f.pass(3s);
        f.undelivered(1, return_cause::given_back, 1);
        f.pass(200ms);
        CHECK(f.state(1) == "cancelled");
    }
    CHECK(f.fired() == ids({1}));
}

TEST_CASE("what was given back leaves its place under a limit to what comes before it")
{
    fixture f(2, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    REQUIRE(f.fired() == ids({1}));
    f.delivered(1);
    f.undelivered(1, return_cause::given_back, 1);
    f.pass(500ms);
    CHECK(f.fired() == ids({1, 1})); // it is the older one
    CHECK(f.state(2) != "running");
}

TEST_CASE("an execution that no client has taken does not wait for a further token of its rate")
{
    fixture f(1, {{"rate", {{"limit", 1}, {"per_ms", 60'000}, {"burst", 1}}}});
    REQUIRE(f.fired() == ids({1}));
    for (int bounced = 1; bounced <= 2; ++bounced) {
        f.undelivered(1, return_cause::no_room, f.assigned.back().number);
        f.pass(1s);
        REQUIRE(f.fired().size() == 1U + static_cast<std::size_t>(bounced));
    }
    f.delivered(1);
    f.pass(1s);
    CHECK(f.number("SELECT full_at FROM limit_state") > to_micros(f.stage.database.utc() + 50s));
}

} // namespace given_back_test
