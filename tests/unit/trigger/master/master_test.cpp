// What a whole term makes of reports, departures and cancels.

#include "libs/base/log.hpp"
#include "tests/unit/trigger/master/master_stage.hpp"

#include <catch2/catch.hpp>

namespace master_test {

using namespace baton;
using namespace baton::trigger;
using protocol::return_cause;
using test::ids;
using fixture = test::master_stage;

TEST_CASE("a due execution is assigned once, and the node learns which assignment numbers it may forget")
{
    fixture f(2);
    CHECK(f.fired() == ids({1, 2}));
    CHECK(f.assigned.front().term == f.of.id());
    CHECK(f.delivered(1).assigned == f.assigned.back().number + 1);
    CHECK(f.lead->open() == 2);
}

TEST_CASE("returned work goes out again as the same attempt, but not by a late repetition of the return")
{
    fixture f;
    REQUIRE(f.assigned.size() == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number);
    f.pass(300ms);
    REQUIRE(f.assigned.size() == 2);
    CHECK(f.assigned.back().executions.front().work.attempt == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.front().number); // the first return again
    f.pass(1s);
    CHECK(f.assigned.size() == 2);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number);
    f.pass(300ms);
    CHECK(f.assigned.size() == 3);
    CHECK(f.attempt() == 1);
}

TEST_CASE("a report about an attempt other than the assigned one changes nothing")
{
    fixture f;
    protocol::report_request one;
    one.undelivered.push_back({execution_id{1}, 2, return_cause::impossible, "", "", 1});
    one.undelivered.push_back({execution_id{7}, 1, return_cause::impossible, "", "", 1});
    f.report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.assigned.size() == 1);
    f.delivered(1, 2);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number); // counts, so no client has attempt 1
    f.pass(500ms);
    CHECK(f.assigned.size() == 2);
}

TEST_CASE("a node that does not have the assignment cannot end or move the work of the one that has it")
{
    fixture f;
    auto const cause = GENERATE(return_cause::impossible, return_cause::client_gone, return_cause::in_doubt);
    protocol::report_request one;
    one.node = "n2";
    one.term = f.of.id();
    one.undelivered.push_back({execution_id{1}, 1, cause, "a", "because", 1});
    f.lead->report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.attempt() == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number); // counts, so it is still assigned to n1
    f.pass(500ms);
    CHECK(f.assigned.size() == 2);
}

TEST_CASE("a report of another term is void, but for the ends that it names")
{
    fixture f(2);
    protocol::report_request one;
    one.term = {1, 4};
    one.undelivered.push_back({execution_id{1}, 1, return_cause::impossible, "", "", 1});
    one.finished.push_back({execution_id{2}, 1, protocol::state::succeeded, 1});
    f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 2");
    f.report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.lead->open() == 1);
}

TEST_CASE("work that no client can ever take fails with the node's reason")
{
    fixture f;
    f.undelivered(1, return_cause::impossible);
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT error FROM execution WHERE id = 1") == "because");
    CHECK(f.lead->open() == 0);
}

TEST_CASE("work whose size a client refuses fails only when all clients that serve it, or three, have refused it")
{
    CHECK_FALSE(fails_for_size(1, 2, 1));
    CHECK(fails_for_size(2, 2, 2));
    CHECK(fails_for_size(1, 1, 1));
    CHECK(fails_for_size(1, 0, 1)); // the one that refused it is gone
    CHECK_FALSE(fails_for_size(2, 100, 2));
    CHECK(fails_for_size(3, 100, 3));
    CHECK(fails_for_size(1, 100, 10));
}

TEST_CASE("work whose size one of two clients refuses goes out again, and fails when the other one refuses it")
{
    fixture f;
    f.add_client("b", "n1");
    f.pass(3s);
    auto const refuse = [&f](std::string const& client) {
        protocol::report_request one;
        one.undelivered.push_back({execution_id{1}, 1, return_cause::impossible, client, "too large", 0});
        one.undelivered.push_back({execution_id{1}, 1, return_cause::no_room, "", "", f.assigned.back().number});
        f.report(one);
    };
    refuse("a");
    f.pass(500ms);
    CHECK(f.assigned.size() == 1);
    f.pass(1s);
    REQUIRE(f.assigned.size() == 2);
    CHECK(f.assigned.back().executions.front().work.attempt == 1);
    refuse("a");
    f.pass(2s);
    REQUIRE(f.assigned.size() == 3);
    CHECK(f.state(1) == "planned");
    refuse("b");
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT error FROM execution WHERE id = 1") == "too large");
}

TEST_CASE("work whose client is gone goes out as the next attempt, and the death is counted")
{
    fixture f;
    SECTION("before it had it for certain")
    {
        f.undelivered(1, return_cause::client_gone);
    }
    SECTION("by a notice of its departure")
    {
        f.delivered(1);
        f.lead->client_gone("a");
    }
    f.pass(500ms);
    CHECK(f.attempt() == 2);
    CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 1);
}

TEST_CASE("a client that leaves costs no other client's work anything")
{
    fixture f;
    f.delivered(1);
    f.lead->client_gone("b");
    f.pass(500ms);
    CHECK(f.attempt() == 1);
}

TEST_CASE("work in doubt is asked for at the present home of its clients")
{
    fixture f;
    SECTION("a client has it")
    {
        f.held = {{execution_id{1}, 1, false, false}};
        f.undelivered(1, return_cause::in_doubt);
        f.pass(1s);
        CHECK(f.attempt() == 1);
        CHECK(f.assigned.size() == 1);
    }
    SECTION("no client has it")
    {
        f.undelivered(1, return_cause::in_doubt);
        f.pass(1s);
        CHECK(f.attempt() == 2);
        CHECK(f.assigned.size() == 2);
        CHECK(f.assigned.back().executions.front().work.attempt == 2);
    }
}

TEST_CASE("a client that runs an earlier attempt is waited for")
{
    fixture f;
    f.held = {{execution_id{1}, 0, false, false}};
    f.delivered(1, 1, 1);
    f.pass(3s);
    CHECK(f.attempt() == 1);
    CHECK(f.assigned.size() == 1);
}

TEST_CASE("an execution that a node gives back when it is to be cancelled ends as cancelled")
{
    fixture f;
    f.withdrawn = ids({1});
    f.request_cancel(1);
    f.pass(1s);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.lead->open() == 0);
}

TEST_CASE("the client that has an execution is told to cancel it, and its result decides")
{
    fixture f;
    f.delivered(1);
    f.request_cancel(1);
    f.pass(500ms);
    CHECK(f.cancelled == ids({1}));
    CHECK(f.state(1) == "planned");
}

TEST_CASE("a term whose fence a newer master has raised ends by itself")
{
    fixture f;
    CHECK(f.lead->open() == 1);
    f.exec("UPDATE lock_fence SET epoch = 6");
    bool ended = false;
    trigger::master second(master_settings{}, f.of,
                           {{f.view(), f.questions, f.here, *f.http, f.epochs, f.trace},
                            *f.ledger,
                            *f.shared,
                            *f.signals,
                            f.node_stage::ids,
                            *f.log},
                           f.stage.loop.get_executor());
    f.host.spawn(second.run(), [&] { ended = true; });
    f.pass(1s);
    CHECK(ended);
    CHECK(second.open() == 0);
}

TEST_CASE("a part of the master that fails leaves the others alone, is logged once and works again by itself")
{
    fixture f;
    std::vector<std::string> lines;
    auto const listening = log::take_over([&](log::level which, std::string_view line) {
        if (which == log::level::error)
            lines.emplace_back(line);
    });
    f.exec("INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since) VALUES "
           "(1, 1, 'default', 'other', 'nonsense', '', '', 1)");
    f.pass(1min);
    auto const troubles = f.lead->troubles();
    REQUIRE(troubles.size() == 1);
    CHECK(troubles.front().part == "pauses");
    CHECK(troubles.front().cause.find("firings") != std::string::npos);
    CHECK(lines.size() == 1);
    CHECK_FALSE(f.lead->cannot_plan());
    f.add_execution(2, 1);
    auto const now = std::to_string(to_micros(f.stage.database.utc()));
    f.exec("UPDATE execution SET due_at = " + now + ", scheduled_at = " + now + " WHERE id = 2");
    f.pass(30s); // the sweep finds it
    auto const fired = f.fired();
    CHECK(std::find(fired.begin(), fired.end(), execution_id{2}) != fired.end());
    f.exec("DELETE FROM pause");
    f.pass(2min);
    CHECK(f.lead->troubles().empty());
}

} // namespace master_test
