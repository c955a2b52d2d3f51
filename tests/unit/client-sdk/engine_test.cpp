#include "baton/client/execution.hpp"
#include "tests/unit/client-sdk/engine_stage.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::client;
using protocol::ack;
using protocol::state;

TEST_CASE("the highest epoch is remembered and lower ones are refused", "[client]")
{
    stage s;
    CHECK(s.it.observe(7));
    CHECK(s.it.observe(7));
    CHECK_FALSE(s.it.observe(6));
    CHECK(s.it.epoch() == 7);
    CHECK(s.it.observe(9));
    CHECK(s.it.epoch() == 9);
}

TEST_CASE("a handler sees the epoch of the message that brought its attempt", "[client]")
{
    stage s({.slots = 1, .queue = 10});
    s.it.observe(5);
    s.take(1);
    s.take(2, 1);
    s.it.observe(6);
    s.take(2, 2); // takes the place of the first attempt, which has not begun
    auto const first = s.start();
    REQUIRE(first.size() == 1);
    CHECK(execution(first[0]).epoch() == 5);
    s.finish(1);
    auto const second = s.start();
    REQUIRE(second.size() == 1);
    CHECK(execution(second[0]).epoch() == 6);
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

TEST_CASE("a later attempt does not start while an earlier one runs, whose result keeps its number", "[client]")
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

TEST_CASE("a later attempt takes the place of one that has not begun", "[client]")
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

TEST_CASE("a repeated attempt is answered from memory for ten minutes", "[client]")
{
    stage s;
    s.run(1, 2, false);
    CHECK(s.take(1, 2).answer == ack::finished);
    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.take(1, 1).holds == 2);
    s.pass(10min);
    CHECK(s.take(1, 2).answer == ack::finished);
    s.pass(1us);
    CHECK(s.take(1, 2).answer == ack::accepted);
}

TEST_CASE("a retry after a failure runs, one after a success does not", "[client]")
{
    stage s;
    s.run(1, 1, false);
    CHECK(s.take(1, 2).answer == ack::accepted);
    s.run(2, 1, true);
    CHECK(s.take(2, 2).answer == ack::finished);
}

TEST_CASE("what a query left out is refused up to the attempt that was asked for", "[client]")
{
    stage s;
    protocol::query_request asked;
    asked.executions = {1, 2, 3, 4};
    asked.attempts = {2, 1, 2, 2};
    s.run(3, 1, true);
    s.run(4, 1, false);
    s.take(2, 1); // queued
    auto const held = s.it.query(asked, s.at);
    REQUIRE(held.size() == 3);
    CHECK(held[0].execution == 2);
    CHECK_FALSE(held[0].finished);
    CHECK(held[1].execution == 3);
    CHECK(held[1].succeeded);
    CHECK(held[2].execution == 4);
    CHECK(held[2].finished);
    CHECK_FALSE(held[2].succeeded);

    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.take(1, 2).answer == ack::finished);
    CHECK(s.take(4, 2).answer == ack::finished);
    CHECK(s.start().size() == 1); // the queued one
    CHECK(s.it.query(std::vector<std::int64_t>{1}, s.at).empty());
    CHECK(s.take(1, 3).answer == ack::accepted);
    CHECK(s.take(4, 3).answer == ack::accepted);
}

TEST_CASE("a late query takes nothing back", "[client]")
{
    stage s;
    protocol::query_request asked;
    asked.executions = {1};
    asked.attempts = {3};
    s.it.query(asked, s.at);
    asked.attempts = {1};
    s.it.query(asked, s.at);
    CHECK(s.take(1, 3).answer == ack::finished);
}

TEST_CASE("nothing begins while this client may count as gone", "[client]")
{
    stage s;
    s.it.trust_until(s.at + 5s);
    s.take(1);
    CHECK(s.start().size() == 1);
    s.take(2);
    s.pass(5s);
    CHECK(s.start().empty());
    CHECK(s.take(3).answer == ack::accepted);
    s.finish(1); // what runs goes on
    s.it.trust_until(s.at + 5s);
    CHECK(s.start().size() == 1);
}

TEST_CASE("what has not begun is given up when the nodes have handed it on", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.start();
    s.take(2, 2);
    s.it.give_up_queued(s.at);
    s.finish(1);
    CHECK(s.report().execution == 1);
    CHECK(s.start().empty());
    CHECK(s.take(2, 2).answer == ack::finished);
    CHECK(s.take(2, 3).answer == ack::accepted);
}

TEST_CASE("what is remembered is bounded in number and in time", "[client]")
{
    engine_limits limits;
    limits.remembered = 2;
    stage s(limits);
    for (int i = 1; i <= 3; ++i)
        s.run(i, 1, true);
    std::vector<std::int64_t> const all{1, 2, 3};
    CHECK(s.it.query(all, s.at).size() == 2);
    s.pass(10min + 1us);
    s.it.tick(s.at);
    CHECK(s.it.query(all, s.at).empty());
}

TEST_CASE("asking for a finished one again sends its result again at once", "[client]")
{
    stage s;
    s.run(1, 1, true);
    auto const sent = s.batch();
    s.it.settle(sent, {}, s.at); // the node recorded nothing
    CHECK(s.batch().empty());
    CHECK(s.take(1, 1).answer == ack::finished);
    CHECK(s.batch().size() == 1);
}

TEST_CASE("slots and queue are the measure of busy", "[client]")
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

TEST_CASE("no result is dropped: a full buffer of results counts as busy", "[client]")
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

TEST_CASE("refusals: unknown handler, draining, nonsense; what is held is still answered for", "[client]")
{
    stage s;
    protocol::dispatch strange;
    strange.execution = 9;
    strange.handler = "nobody";
    CHECK(s.it.take(strange, s.at).answer == ack::no_handler);
    CHECK(s.take(0).answer == ack::invalid);
    CHECK(s.take(5, 0).answer == ack::invalid);
    CHECK(s.take(5, 1, -1us).answer == ack::invalid);
    s.take(1);
    s.it.drain();
    CHECK(s.take(1).answer == ack::running);
    CHECK(s.take(2).answer == ack::draining);
    CHECK(s.it.free() == 0);
    CHECK(s.start().size() == 1); // what was accepted is still done
}
