// Executions that a client gives back before it begins them.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace recalls_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fixture : test::dispatcher_stage {
    // The client gives back what it is asked for, except these, which it runs.
    void runs(std::vector<int> const& numbers)
    {
        calls.answer_recall = [numbers](protocol::recall_request const& asked) {
            client_calls::recall_outcome out;
            out.answer.emplace();
            for (std::size_t i = 0; i < asked.executions.size(); ++i)
                if (std::ranges::find(numbers, asked.executions[i].value()) == numbers.end())
                    out.answer->given_back.push_back({asked.executions[i], asked.attempts[i]});
            return out;
        };
    }
    void end(std::string const& instance, int number, duration ran)
    {
        protocol::result_report result;
        result.execution = execution_id{number};
        result.started_at = 1'000'000;
        result.finished_at = 1'000'000 + ran.count();
        deliveries.results_came(instance, {result});
        deliveries.execution_ended(instance, {execution_id{number}, 1});
    }
    int places() { return lanes.find("a")->places(); }
};

std::vector<execution_id> sorted(std::vector<execution_id> all)
{
    std::ranges::sort(all);
    return all;
}

} // namespace

TEST_CASE("a client gets twice its slots first, then what its slots end in 100 ms, and at most its queue")
{
    fixture f;
    f.add("a", 2, 30);
    CHECK(f.places() == 4);
    f.assign({1, 2, 3, 4});
    f.pass();
    f.end("a", 1, 20ms);
    CHECK(f.places() == 2 + 10);
    f.end("a", 2, 0us);
    CHECK(f.places() == 2 + 20); // the mean of both
    for (int i = 0; i < 40; ++i)
        f.end("a", 100 + i, 1us);
    CHECK(f.places() == 2 + 30);
}

TEST_CASE("an execution whose result has come takes no slot, and for the master its place until the result is recorded")
{
    fixture f;
    f.add("a", 2, 0);
    f.assign({1, 2});
    f.pass();
    CHECK(f.deliveries.figures("a")->free_slots == 0);
    protocol::result_report result;
    result.execution = execution_id{1};
    for (int i = 0; i < 2; ++i) // it may be repeated
        f.deliveries.results_came("a", {result});
    CHECK(f.deliveries.figures("a")->free_slots == 1);
    CHECK(f.places() == 3);
    f.deliveries.execution_ended("a", {execution_id{1}, 1});
    CHECK(f.deliveries.figures("a")->free_slots == 1);
    CHECK(f.places() == 2);
}

TEST_CASE("a client whose slots do not end gets nothing beyond them, and what waits there goes back to the master")
{
    fixture f;
    f.runs({1, 2});
    f.add("a", 2, 30);
    f.assign({1, 2, 3, 4});
    f.pass();
    CHECK(f.calls.to("a") == ids({1, 2, 3, 4}));
    f.pass(110ms);
    CHECK(f.places() == 2);
    CHECK(f.calls.recalled.empty());
    f.pass(300ms);
    REQUIRE(f.calls.recalled.size() == 1);
    CHECK(sorted(f.calls.recalled[0].executions) == ids({3, 4}));
    CHECK(f.calls.recalled[0].number > f.calls.sent.back().number);
    CHECK(f.hears(execution_id{3}, "given_back"));
    CHECK(f.hears(execution_id{4}, "given_back"));
    CHECK(f.deliveries.figures("a")->in_flight == 2);
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 1);
}

TEST_CASE("an execution that was given back may come again as the same attempt")
{
    fixture f;
    f.assigned = 2;
    f.runs({1});
    f.add("a", 1, 30);
    f.assign({1, 2});
    f.pass(1s);
    REQUIRE(f.hears(execution_id{2}, "given_back"));
    f.end("a", 1, 500ms);
    f.assign({2});
    f.pass();
    CHECK(f.calls.to("a") == ids({1, 2, 2}));
    CHECK(f.told().back() == "2 at a");
}

TEST_CASE("a client that drains is asked for all that it has, at once")
{
    fixture f;
    f.runs({1, 2});
    f.add("a", 2, 30);
    f.add("b", 2, 0);
    f.assign({1, 2}); // one each
    f.pass();
    f.clients.drains("a");
    f.pass();
    REQUIRE(f.calls.recalled.size() == 1);
    CHECK(f.calls.recalled[0].instance == "a");
    CHECK(f.calls.recalled[0].executions.size() == 1);
    CHECK(f.deliveries.figures("a")->in_flight == 1);
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 1); // what it has runs
}

TEST_CASE("a report that a handler runs is no end")
{
    fixture f;
    f.runs({1, 2});
    f.add("a", 2, 30);
    f.assign({1, 2, 3, 4});
    f.pass(110ms);
    protocol::result_report running;
    running.execution = execution_id{1};
    running.status = protocol::state::running;
    running.started_at = 1'000'000;
    for (int i = 0; i < 10; ++i) {
        f.deliveries.results_came("a", {running});
        f.pass(50ms);
    }
    CHECK(f.places() == 2);
    CHECK(f.calls.recalled.size() == 1);
}

TEST_CASE("a client that drains and does not know the recall is left alone")
{
    fixture f;
    f.calls.answer_recall = [](auto const&) { return client_calls::recall_outcome{std::nullopt, true}; };
    f.add("a", 2, 30);
    f.assign({1, 2});
    f.pass();
    f.clients.drains("a");
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 1);
}

TEST_CASE("a recall without an answer is repeated, after pauses that double")
{
    fixture f;
    f.add("a", 1, 30);
    f.assign({1, 2});
    f.pass(1s);
    auto const first = f.calls.recalled.size();
    CHECK(first >= 1);
    f.pass(10s);
    CHECK(f.calls.recalled.size() > first);
    CHECK(f.calls.recalled.size() <= 6);
    f.runs({1});
    f.pass(30s);
    CHECK(f.hears(execution_id{2}, "given_back"));
}

TEST_CASE("a node that may not deliver recalls nothing, and does not spin")
{
    fixture f;
    f.runs({1});
    f.add("a", 1, 30);
    f.assign({1, 2});
    f.pass();
    f.right.leads = false;
    f.pass(10s); // would not end
    CHECK(f.calls.recalled.empty());
    f.right.leads = true;
    f.pass(1s);
    CHECK(f.calls.recalled.size() == 1);
}

TEST_CASE("a client that does not know the recall is not asked again before it registers again")
{
    fixture f;
    f.calls.answer_recall = [](auto const&) { return client_calls::recall_outcome{std::nullopt, true}; };
    f.add("a", 1, 30);
    f.assign({1, 2});
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 1);
    CHECK(f.deliveries.figures("a")->in_flight == 2);
    ++f.clients.all["a"].row.generation;
    f.deliveries.client_changed("a");
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 2);
}

TEST_CASE("an answer to a recall counts only for what was asked for")
{
    fixture f;
    f.calls.answer_recall = [](auto const&) {
        client_calls::recall_outcome out;
        out.answer.emplace();
        out.answer->given_back = {{execution_id{1}, 1}, {execution_id{2}, 2}, {execution_id{99}, 1}};
        return out;
    };
    f.add("a", 1, 30);
    f.assign({1, 2}); // 2 is asked for
    f.pass(1s);
    REQUIRE(f.calls.recalled.size() >= 1);
    for (int const id : {1, 2, 99})
        CHECK_FALSE(f.hears(execution_id{id}, "given_back"));
}

TEST_CASE("nothing is sent to a client while it is asked to give something back")
{
    fixture f;
    f.calls.takes = 80ms;
    f.runs({1});
    f.add("a", 1, 30);
    f.assign({1, 2});
    f.pass(360ms); // the dispatch, and the pauses before the recall
    REQUIRE(f.calls.recalled.size() == 1);
    f.end("a", 1, 10ms);
    for (int i = 0; i < 20; ++i)
        f.end("a", 100 + i, 10ms); // it is fast again
    f.assign({3});
    f.pass(30ms);
    CHECK(f.calls.to("a") == ids({1, 2}));
    f.pass(300ms);
    CHECK(f.calls.to("a") == ids({1, 2, 3}));
}

TEST_CASE("a new home asks for what the client gave to its last home, once assignments have numbers that it knows")
{
    fixture f;
    f.runs({});
    f.add("a", 1, 30);
    f.deliveries.may_have_given_back("a", {{execution_id{7}, 2}});
    f.pass(2s);
    REQUIRE(f.calls.recalled.size() == 1);
    CHECK(f.calls.recalled[0].executions == ids({7}));
    auto const& told = f.heard.back().undelivered.empty()
                           ? *std::ranges::find_if(f.heard, [](auto const& one) { return !one.undelivered.empty(); })
                           : f.heard.back();
    CHECK(told.undelivered[0].cause == protocol::return_cause::given_back);
    CHECK(told.undelivered[0].number == f.assigned - 1);
    CHECK(told.undelivered[0].attempt == 2);
    f.pass(10s);
    CHECK(f.calls.recalled.size() == 1);
}

TEST_CASE("a later attempt that the client gives back counts, though it had given back an earlier one to its last home")
{
    fixture f;
    f.calls.answer_recall = [](protocol::recall_request const& asked) { // it says each execution once
        client_calls::recall_outcome out;
        out.answer.emplace();
        if (std::ranges::find(asked.executions, execution_id{7}) != asked.executions.end())
            out.answer->given_back.push_back({execution_id{7}, 2});
        return out;
    };
    f.add("a", 1, 30);
    f.assign({1}, 2);
    f.assign({7}, 2);
    f.deliveries.may_have_given_back("a", {{execution_id{7}, 1}});
    f.pass(2s);
    CHECK(f.hears(execution_id{7}, "given_back"));
    CHECK(f.deliveries.figures("a")->in_flight == 1);
}

TEST_CASE("what a client has of its last home takes its slots, and what waits behind it goes back to the master")
{
    fixture f;
    f.assigned = 0; // the master has not told yet
    f.runs({7});
    f.add("a", 2, 30);
    f.deliveries.has("a", {{execution_id{7}, 1}, {execution_id{8}, 1}});
    CHECK(f.deliveries.figures("a")->free_slots == 0);
    f.assign({1});
    f.pass(1s);
    REQUIRE_FALSE(f.calls.recalled.empty());
    for (auto const& each : f.calls.recalled)
        CHECK(each.executions == ids({1})); // an assignment of the others may have a higher number
    CHECK(f.hears(execution_id{1}, "given_back"));
    CHECK(f.deliveries.figures("a")->in_flight == 2);
    f.end("a", 7, 1s);
    f.end("a", 8, 1s);
    CHECK(f.deliveries.figures("a")->free_slots == 2);
}

TEST_CASE(
    "a client that drains gives back what it has of its last home, once that is not assigned with a higher number")
{
    fixture f;
    f.assigned = 0; // the master has not told yet
    f.runs({7});
    f.add("a", 2, 30);
    f.deliveries.has("a", {{execution_id{7}, 1}, {execution_id{8}, 1}});
    f.clients.drains("a");
    f.pass(2s);
    CHECK(f.calls.recalled.empty());
    f.assigned = 1'000;
    f.pass(2s);
    REQUIRE_FALSE(f.calls.recalled.empty());
    CHECK(f.hears(execution_id{8}, "given_back"));
    CHECK(f.deliveries.figures("a")->in_flight == 1);
}

TEST_CASE("what is on its way to another client is not counted where a client says that it has it")
{
    fixture f;
    f.add("a", 1, 0);
    f.add("b", 1, 0);
    f.calls.takes = 50ms;
    f.assign({7});
    f.pass(10ms);
    auto const other = f.calls.to("a").empty() ? "a" : "b";
    f.deliveries.has(other, {{execution_id{7}, 1}});
    CHECK(f.deliveries.figures(other)->in_flight == 0);
}

TEST_CASE("what was assigned to this node again is not reported as given back")
{
    fixture f;
    f.runs({});
    f.add("a", 1, 30);
    f.add("b", 1, 30);
    f.assign({7});
    f.pass();
    auto const owner = f.calls.to("a").empty() ? "b" : "a";
    auto const other = f.calls.to("a").empty() ? "a" : "b";
    CHECK(f.calls.to(owner) == ids({7}));
    f.deliveries.may_have_given_back(other, {{execution_id{7}, 1}});
    f.pass(2s);
    CHECK_FALSE(f.hears(execution_id{7}, "given_back"));
}

} // namespace recalls_test
