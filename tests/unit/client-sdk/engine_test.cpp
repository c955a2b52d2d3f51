#include "baton/client/execution.hpp"
#include "client-sdk/src/engine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace baton;
using namespace baton::client;
using protocol::ack;
using protocol::state;

namespace {

struct stage {
    explicit stage(engine_limits limits = {}) : it(limits, {"work"}) {}

    reading now() const { return {at, from_micros(1'774'746'000'000'000) + at.time_since_epoch()}; }
    void pass(duration span) { at += span; }

    protocol::dispatch_ack take(std::int64_t execution, int attempt = 1, duration timeout = {})
    {
        protocol::dispatch work;
        work.execution = execution;
        work.attempt = attempt;
        work.handler = "work";
        work.timeout_us = timeout.count();
        return it.take(work, at);
    }

    std::vector<std::shared_ptr<job>> start() { return it.start_ready(now()); }

    void finish(std::int64_t execution, bool succeeded = true, std::string error = {})
    {
        outcome what;
        what.succeeded = succeeded;
        what.error = std::move(error);
        what.ended = now();
        it.finish(execution, what);
    }

    void run(std::int64_t execution, int attempt, bool succeeded)
    {
        take(execution, attempt);
        start();
        finish(execution, succeeded);
    }

    std::vector<protocol::result_report> batch() { return it.batch(at, 500, 1u << 20); }

    // What is reported for this execution, all of it acknowledged.
    protocol::result_report report()
    {
        auto const sent = batch();
        REQUIRE(sent.size() == 1);
        it.settle(sent, {{sent[0].execution, sent[0].attempt}}, at);
        return sent[0];
    }

    engine it;
    instant at{1h};
};

} // namespace

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

TEST_CASE("a timeout asks to stop, and counts once the handler has returned", "[client]")
{
    stage s;
    s.take(1, 1, 500ms);
    auto const begun = s.start();
    CHECK(s.it.next_tick() == s.at + 500ms);
    s.pass(499ms);
    s.it.tick(s.at);
    CHECK_FALSE(begun[0]->stop.stop_requested());
    s.pass(1ms);
    s.it.tick(s.at);
    CHECK(begun[0]->stop.stop_requested());
    CHECK(s.batch().empty());
    CHECK(s.take(1, 2).answer == ack::running);
    s.pass(100ms);
    s.finish(1, false, "gave up");
    auto const report = s.report();
    CHECK(report.status == state::timed_out);
    CHECK(report.error == "ran 600 ms of at most 500: gave up");
    CHECK(report.finished_at - report.started_at == 600'000);
}

TEST_CASE("success after the timeout is a timeout, success before it is one although the timer was late", "[client]")
{
    stage s;
    s.take(1, 1, 500ms);
    s.start();
    s.pass(501ms);
    s.finish(1);
    CHECK(s.report().status == state::timed_out);
    s.take(2, 1, 500ms);
    s.start();
    s.pass(499ms);
    s.finish(2);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("a timeout beyond the end of the clock is none", "[client]")
{
    stage s;
    s.take(1, 1, duration::max());
    s.start();
    s.pass(24h);
    s.it.tick(s.at);
    s.finish(1);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("cancelling ends what is queued and asks what runs", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.take(2);
    auto const begun = s.start();
    auto const left = s.it.cancel({1, 2, 3}, s.now());
    REQUIRE(left.size() == 2);
    CHECK(left[0].execution == 1);
    CHECK_FALSE(left[0].finished);
    CHECK(left[1].finished);
    CHECK(begun[0]->stop.stop_requested());
    auto const queued = s.report();
    CHECK(queued.execution == 2);
    CHECK(queued.status == state::cancelled);
    CHECK(queued.started_at == 0);
    s.finish(1, false, "stopped");
    CHECK(s.report().status == state::cancelled);
    CHECK(s.start().empty());
    CHECK(s.it.idle());
}

TEST_CASE("a handler that succeeds in spite of a cancellation has succeeded", "[client]")
{
    stage s;
    s.take(1);
    s.start();
    s.it.cancel({1}, s.now());
    s.finish(1, true);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("what runs for a second is reported once, and again when its progress has changed", "[client]")
{
    stage s;
    s.take(1);
    auto const begun = s.start();
    s.pass(999ms);
    s.it.tick(s.at);
    CHECK_FALSE(s.it.has_notes());
    s.pass(1ms);
    s.it.tick(s.at);
    auto const first = s.batch();
    REQUIRE(first.size() == 1);
    CHECK(first[0].status == state::running);
    CHECK(first[0].finished_at == 0);
    s.it.settle(first, {}, s.at);
    s.pass(1s);
    s.it.tick(s.at);
    CHECK(s.batch().empty());
    begun[0]->progress = 40;
    s.it.tick(s.at);
    CHECK(s.batch().empty()); // not twice in a second
    s.pass(1s);
    s.it.tick(s.at);
    auto const second = s.batch();
    REQUIRE(second.size() == 1);
    CHECK(second[0].progress == 40);
    s.it.unsent(second); // nobody heard it
    CHECK(s.batch().size() == 1);
    s.it.unsent(second);
    s.finish(1);
    CHECK_FALSE(s.it.has_notes());
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("an acknowledged note that it runs does not acknowledge the result that came meanwhile", "[client]")
{
    stage s;
    s.take(1);
    s.start();
    s.pass(1s);
    s.it.tick(s.at);
    auto const note = s.batch();
    REQUIRE(note.size() == 1);
    s.finish(1); // while the note is on its way
    s.it.settle(note, {{1, 1}}, s.at);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("of results that a node cannot read only the culprit loses its value, and no note takes the blame",
          "[client]")
{
    engine_limits two_slots;
    two_slots.slots = 2;
    stage s(two_slots);
    s.take(1);
    s.start();
    s.pass(1s);
    s.it.tick(s.at); // a note that 1 runs is due
    for (int i = 2; i <= 5; ++i)
        s.run(i, 1, true);
    std::set<std::int64_t> recorded;
    for (int messages = 0; messages < 20 && recorded.size() < 4; ++messages) {
        auto const sent = s.batch();
        bool const poisoned = std::any_of(sent.begin(), sent.end(), [](auto const& report) {
            return report.execution == 4 && report.error.empty(); // until it is stripped
        });
        if (poisoned) {
            s.it.refused(sent, "no node reads it", s.at);
            continue;
        }
        std::vector<protocol::attempt_key> keys;
        for (auto const& report : sent) {
            if (report.status == state::running)
                continue;
            CHECK(report.error == (report.execution == 4 ? "no node reads it" : ""));
            keys.push_back({report.execution, report.attempt});
            recorded.insert(report.execution);
        }
        s.it.settle(sent, keys, s.at);
    }
    CHECK(recorded == std::set<std::int64_t>{2, 3, 4, 5});
    CHECK(s.it.results().size() == 0);
}

TEST_CASE("near the end of the grace running jobs are asked to stop and no more start", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.take(2);
    auto const begun = s.start();
    s.it.drain();
    s.it.stop_running();
    CHECK(begun[0]->stop.stop_requested());
    s.finish(1, false, "interrupted");
    CHECK(s.report().status == state::failed);
    CHECK(s.start().empty());
    CHECK_FALSE(s.it.idle());
}

TEST_CASE("an outcome is made fit to be sent", "[client]")
{
    outcome what;
    what.value = {{"text", "bad \xff byte"}};
    what.error = "also \xc3";
    normalise(what);
    CHECK(what.value["text"] == "bad \xef\xbf\xbd byte");
    CHECK(what.error == "also \xef\xbf\xbd");

    outcome large;
    large.succeeded = true;
    large.value = std::string(value_limit, 'x');
    large.error = std::string(error_limit - 1, 'e') + "\xc3\xa4";
    normalise(large);
    CHECK(large.succeeded);
    CHECK(large.value.is_null());
    CHECK(large.error == std::string(error_limit - 1, 'e'));
}
