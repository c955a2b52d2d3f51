#include "baton/client/execution.hpp"
#include "tests/unit/client-sdk/engine_stage.hpp"

#include <catch2/catch.hpp>

namespace engine_test {

using namespace baton;
using namespace baton::client;
using protocol::ack;
using protocol::state;

TEST_CASE("a handler sees the term of the dispatch of its attempt", "[client]")
{
    stage s({.slots = 1, .queue = 10});
    s.term = {1, 5};
    s.take(1);
    s.take(2, 1);
    s.term = {3, 4};
    s.take(2, 2); // replaces the queued first attempt
    auto const first = s.start();
    REQUIRE(first.size() == 1);
    CHECK(execution(first[0]).epoch() == 5);
    CHECK(execution(first[0]).namespace_id() == 1);
    s.finish(1);
    auto const second = s.start();
    REQUIRE(second.size() == 1);
    CHECK(execution(second[0]).epoch() == 4);
    CHECK(execution(second[0]).namespace_id() == 3);
}

TEST_CASE("an execution is accepted once, whether queued or running", "[client]")
{
    stage s;
    CHECK(s.take(1).answer == ack::accepted);
    CHECK(s.take(1).answer == ack::running);
    CHECK(s.start().size() == 1);
    auto const again = s.take(1);
    CHECK(again.answer == ack::running);
    CHECK(again.holds == 1);
    CHECK(s.start().empty());
}

TEST_CASE("a later attempt does not start while an earlier one runs, and the result names the earlier one", "[client]")
{
    stage s;
    s.take(1, 1);
    s.start();
    auto const later = s.take(1, 2);
    CHECK(later.answer == ack::running);
    CHECK(later.attempt == 2);
    CHECK(later.holds == 1);
    CHECK(s.start().empty());
    s.finish(1);
    CHECK(s.report().attempt == 1);
    auto const after = s.take(1, 2);
    CHECK(after.answer == ack::finished);
    CHECK(after.holds == 1);
}

TEST_CASE("a later attempt replaces a queued one", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.start();
    s.take(2, 1);
    CHECK(s.take(2, 3).answer == ack::accepted);
    CHECK(s.take(2, 2).holds == 3);
    s.finish(1);
    s.report();
    auto const begun = s.start();
    REQUIRE(begun.size() == 1);
    CHECK(begun[0]->work.attempt == 3);
}

TEST_CASE("a repeated attempt is answered from memory for ten minutes after its result is recorded", "[client]")
{
    stage s;
    s.run(1, 2, false);
    s.report();
    CHECK(s.take(1, 2).answer == ack::finished);
    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.take(1, 1).holds == 2);
    s.pass(10min);
    CHECK(s.take(1, 2).answer == ack::finished);
    s.pass(1us);
    CHECK(s.take(1, 2).answer == ack::accepted);
}

TEST_CASE("a further attempt starts after a failure and is refused after a success", "[client]")
{
    stage s;
    s.run(1, 1, false);
    CHECK(s.take(1, 2).answer == ack::accepted);
    s.run(2, 1, true);
    CHECK(s.take(2, 2).answer == ack::finished);
}

TEST_CASE("an execution that was missing at a query is refused afterwards, up to the attempt asked for", "[client]")
{
    stage s;
    protocol::query_request asked;
    asked.executions = {execution_id{1}, execution_id{2}, execution_id{3}, execution_id{4}};
    asked.attempts = {2, 1, 2, 2};
    s.run(3, 1, true);
    s.run(4, 1, false);
    s.take(2, 1); // queued
    auto const held = s.it.query(asked, s.at);
    REQUIRE(held.size() == 3);
    CHECK(held[0].execution == execution_id{2});
    CHECK_FALSE(held[0].finished);
    CHECK(held[1].execution == execution_id{3});
    CHECK(held[1].succeeded);
    CHECK(held[2].execution == execution_id{4});
    CHECK(held[2].finished);
    CHECK_FALSE(held[2].succeeded);

    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.take(1, 2).answer == ack::finished);
    CHECK(s.take(4, 2).answer == ack::finished);
    CHECK(s.start().size() == 1); // the queued one
    CHECK(s.it.query(std::vector{execution_id{1}}, s.at).empty());
    CHECK(s.take(1, 3).answer == ack::accepted);
    CHECK(s.take(4, 3).answer == ack::accepted);
}

TEST_CASE("the answer to a query tells for how long a handler has run", "[client]")
{
    stage s;
    s.take(1);
    s.start();
    s.pass(4'200ms);
    s.take(2); // queued
    auto const held = s.it.query(std::vector{execution_id{1}, execution_id{2}}, s.at);
    REQUIRE(held.size() == 2);
    CHECK(held[0].run_ms == 4'200);
    CHECK(held[1].run_ms == 0);
}

TEST_CASE("a late query with an older attempt leaves later refusals in place", "[client]")
{
    stage s;
    protocol::query_request asked;
    asked.executions = {execution_id{1}};
    asked.attempts = {3};
    s.it.query(asked, s.at);
    asked.attempts = {1};
    s.it.query(asked, s.at);
    CHECK(s.take(1, 3).answer == ack::finished);
}

TEST_CASE("no queued execution starts while the client may count as gone", "[client]")
{
    stage s;
    s.it.trust_until(s.at + 5s);
    s.take(1);
    CHECK(s.start().size() == 1);
    s.take(2);
    s.pass(5s);
    CHECK(s.start().empty());
    CHECK(s.take(3).answer == ack::accepted);
    s.finish(1); // a running one continues
    s.it.trust_until(s.at + 5s);
    CHECK(s.start().size() == 1);
}

TEST_CASE("queued executions are dropped when the nodes have handed them on", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.start();
    s.take(2, 2);
    s.it.give_up_queued(s.at);
    s.finish(1);
    CHECK(s.report().execution == execution_id{1});
    CHECK(s.start().empty());
    CHECK(s.take(2, 2).answer == ack::finished);
    CHECK(s.take(2, 3).answer == ack::accepted);
}

TEST_CASE("an execution whose result no node has recorded is never forgotten", "[client]")
{
    engine_limits limits;
    limits.remembered = 1;
    stage s(limits);
    for (int i = 1; i <= 3; ++i)
        s.run(i, 1, true);
    s.pass(1h);
    s.it.tick(s.at);
    std::vector const all{execution_id{1}, execution_id{2}, execution_id{3}};
    CHECK(s.it.query(all, s.at).size() == 3);
    CHECK(s.take(1, 1).answer == ack::finished);
    auto const sent = s.batch();
    s.it.settle(sent, {{execution_id{1}, 1}}, s.at);
    s.pass(9min);
    s.it.tick(s.at);
    CHECK(s.take(1, 1).answer == ack::finished);
    s.pass(2min);
    s.it.tick(s.at);
    CHECK(s.take(1, 1).answer == ack::accepted);
    CHECK(s.take(2, 1).answer == ack::finished);
}

TEST_CASE("the record of an earlier attempt leaves a later one as it is", "[client]")
{
    stage s;
    s.run(1, 1, false);
    auto const first = s.batch();
    s.run(1, 2, false);
    s.it.settle(first, {{execution_id{1}, 1}}, s.at);
    s.pass(1h);
    s.it.tick(s.at);
    CHECK(s.take(1, 2).answer == ack::finished);
}

TEST_CASE("the memory of ended executions is bounded in number and in time", "[client]")
{
    engine_limits limits;
    limits.remembered = 2;
    stage s(limits);
    for (int i = 1; i <= 3; ++i) {
        s.run(i, 1, true);
        s.report();
    }
    std::vector const all{execution_id{1}, execution_id{2}, execution_id{3}};
    CHECK(s.it.query(all, s.at).size() == 2);
    s.pass(10min + 1us);
    s.it.tick(s.at);
    CHECK(s.it.query(all, s.at).empty());
}

TEST_CASE("a repeated dispatch of a finished execution sends its result again at once", "[client]")
{
    stage s;
    s.run(1, 1, true);
    auto const sent = s.batch();
    s.it.settle(sent, {}, s.at); // the node recorded nothing
    CHECK(s.batch().empty());
    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.batch().size() == 1);
}

TEST_CASE("a client is busy when its slots and its queue are full", "[client]")
{
    engine_limits limits;
    limits.slots = 2;
    limits.queue = 1;
    stage s(limits);
    CHECK(s.it.free() == 3);
    for (int i = 1; i <= 3; ++i)
        CHECK(s.take(i).answer == ack::accepted);
    CHECK(s.take(4).answer == ack::busy);
    CHECK(s.start().size() == 2);
    CHECK(s.it.free_slots() == 0);
    CHECK(s.it.free() == 0);
    s.finish(1);
    CHECK(s.it.free() == 1);
    CHECK(s.take(4).answer == ack::accepted);
}

TEST_CASE("a client whose buffer of results is full is busy instead of dropping results", "[client]")
{
    engine_limits limits;
    limits.slots = 4;
    limits.results = 2;
    stage s(limits);
    s.run(1, 1, true);
    CHECK(s.take(2).answer == ack::accepted);
    CHECK(s.take(3).answer == ack::busy);
    s.report();
    CHECK(s.take(3).answer == ack::accepted);
}

TEST_CASE(
    "an unknown handler, draining and a malformed dispatch are refused, but held executions are still answered for",
    "[client]")
{
    stage s;
    protocol::dispatch strange;
    strange.execution = execution_id{9};
    strange.handler = "nobody";
    CHECK(s.it.take(strange, s.at, s.term).answer == ack::no_handler);
    CHECK(s.take(0).answer == ack::invalid);
    CHECK(s.take(5, 0).answer == ack::invalid);
    CHECK(s.take(5, 1, -1us).answer == ack::invalid);
    s.take(1);
    s.it.drain();
    CHECK(s.take(1).answer == ack::running);
    CHECK(s.take(2).answer == ack::draining);
    CHECK(s.it.free() == 0);
    CHECK(s.start().size() == 1); // accepted executions still run
}

} // namespace engine_test
