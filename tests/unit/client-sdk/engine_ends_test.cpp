#include "baton/client/execution.hpp"
#include "tests/unit/client-sdk/engine_stage.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace engine_ends_test {

using namespace baton;
using namespace baton::client;
using protocol::ack;
using protocol::state;

TEST_CASE("a timeout asks the handler to stop and decides the outcome when the handler returns", "[client]")
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

TEST_CASE("the handler's run time decides on a timeout, not the moment at which the timer ran", "[client]")
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

TEST_CASE("a timeout that would overflow the clock counts as none", "[client]")
{
    stage s;
    s.take(1, 1, duration::max());
    s.start();
    s.pass(24h);
    s.it.tick(s.at);
    s.finish(1);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("a cancellation ends a queued execution and asks a running one to stop", "[client]")
{
    engine_limits one_slot;
    one_slot.slots = 1;
    stage s(one_slot);
    s.take(1);
    s.take(2);
    auto const begun = s.start();
    auto const left = s.it.cancel({execution_id{1}, execution_id{2}, execution_id{3}}, s.now());
    REQUIRE(left.size() == 2);
    CHECK(left[0].execution == execution_id{1});
    CHECK_FALSE(left[0].finished);
    CHECK(left[1].finished);
    CHECK(begun[0]->stop.stop_requested());
    auto const queued = s.report();
    CHECK(queued.execution == execution_id{2});
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
    s.it.cancel({execution_id{1}}, s.now());
    s.finish(1, true);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("an execution that runs for a second is reported once, and again when its progress has changed", "[client]")
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
    s.it.unsent(second); // it did not arrive
    CHECK(s.batch().size() == 1);
    s.it.unsent(second);
    s.finish(1);
    CHECK_FALSE(s.it.has_notes());
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("acknowledging a report of a running execution does not acknowledge its later result", "[client]")
{
    stage s;
    s.take(1);
    s.start();
    s.pass(1s);
    s.it.tick(s.at);
    auto const note = s.batch();
    REQUIRE(note.size() == 1);
    s.finish(1); // while the note is on its way
    s.it.settle(note, {{execution_id{1}, 1}}, s.at);
    CHECK(s.report().status == state::succeeded);
}

TEST_CASE("of a batch that a node cannot read only the unreadable result loses its value", "[client]")
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
            return report.execution == execution_id{4} && report.error.empty(); // until it is stripped
        });
        if (poisoned) {
            s.it.refused(sent, "no node reads it", s.at);
            continue;
        }
        std::vector<protocol::attempt_key> keys;
        for (auto const& report : sent) {
            if (report.status == state::running)
                continue;
            CHECK(report.error == (report.execution == execution_id{4} ? "no node reads it" : ""));
            keys.push_back({report.execution, report.attempt});
            recorded.insert(report.execution.value());
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
    s.finish(1, false, "stopped");
    auto const report = s.report();
    CHECK(report.status == state::failed);
    CHECK(report.interrupted);
    CHECK(s.start().empty());
    CHECK_FALSE(s.it.idle());
}

TEST_CASE("a success, a cancel, a timeout and a final failure are no interruption when the client stops", "[client]")
{
    stage s;
    auto const ended = [&](int id, result const& returned, std::vector<std::string> final_errors = {}) {
        protocol::dispatch work;
        work.execution = execution_id{id};
        work.handler = "work";
        work.final_errors = std::move(final_errors);
        work.timeout_us = id == 3 ? 1 : 0;
        s.it.take(work, s.at, s.term);
        s.start();
        s.it.stop_running();
        if (id == 2)
            s.it.cancel({work.execution}, s.now());
        s.pass(1ms);
        s.it.finish(work.execution, make_outcome(returned, s.now()));
        return s.report();
    };
    SECTION("a success")
    {
        CHECK_FALSE(ended(1, result::ok()).interrupted);
    }
    SECTION("a cancel")
    {
        CHECK_FALSE(ended(2, result::fail("stopped")).interrupted);
    }
    SECTION("a timeout")
    {
        CHECK_FALSE(ended(3, result::fail("stopped")).interrupted);
    }
    SECTION("the handler gives up")
    {
        CHECK_FALSE(ended(4, result::give_up("no such account")).interrupted);
    }
    SECTION("a task that is not to go out again")
    {
        auto const report = ended(5, result::fail("stopped"), {"interrupted"});
        CHECK_FALSE(report.interrupted);
        CHECK(report.final);
    }
    SECTION("any other failure")
    {
        CHECK(ended(6, result::fail("stopped")).interrupted);
    }
}

TEST_CASE("a failure is final by the handler's own word, or if its class is one of the dispatch's", "[client]")
{
    stage s;
    std::int64_t executions = 0;
    auto const reported = [&](result const& returned, bool cancelled = false) {
        protocol::dispatch work;
        work.execution = execution_id{++executions};
        work.handler = "work";
        work.final_errors = {"bad_input", "gone"};
        s.it.take(work, s.at, s.term);
        s.start();
        if (cancelled)
            s.it.cancel({work.execution}, s.now());
        s.it.finish(work.execution, make_outcome(returned, s.now()));
        return s.report().final;
    };
    CHECK(reported(result::give_up("no such account")));
    CHECK(reported(result::fail("no such account").in_class("bad_input")));
    CHECK_FALSE(reported(result::fail("no such account").in_class("busy")));
    CHECK_FALSE(reported(result::fail("no such account")));
    CHECK_FALSE(reported(result::ok()));
    CHECK_FALSE(reported(result::give_up("stopped"), true)); // it was cancelled
}

TEST_CASE("a failure without a reason says so", "[client]")
{
    CHECK(make_outcome(result::fail(""), {}).error == "the handler failed without saying why");
    CHECK(make_outcome(result::ok(), {}).error.empty());
}

TEST_CASE("invalid UTF-8, a long value and a long error do not leave the client", "[client]")
{
    reading const now{};
    auto const unclean = make_outcome(result::fail("also \xc3", {{"text", "bad \xff byte"}}), now);
    CHECK(unclean.value.parse()["text"] == "bad \xef\xbf\xbd byte");
    CHECK(unclean.error == "also \xef\xbf\xbd");

    auto const long_error = std::string(error_limit - 1, 'e');
    auto const large = make_outcome(result::fail(long_error + "\xc3\xa4", std::string(value_limit, 'x')), now);
    CHECK(large.value.is_null());
    CHECK(large.error == long_error);

    auto const dropped = make_outcome(result::ok(std::string(value_limit, 'x')), now);
    CHECK(dropped.succeeded);
    CHECK(dropped.value.is_null());
    CHECK_THAT(dropped.error, Catch::Contains("was dropped: the limit is 65536"));
}

} // namespace engine_ends_test
