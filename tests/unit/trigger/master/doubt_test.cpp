#include "trigger/master/doubt.hpp"

#include <catch2/catch.hpp>

namespace doubt_test {

using namespace baton;
using namespace baton::trigger;
using protocol::held_execution;
using kind = doubt_finding::kind;

namespace {

execution_id const first{1}, second{2};

doubt about_both()
{
    return doubt({{first, 3}, {second, 1}});
}

held_execution held(execution_id id, int attempt, bool finished = false, bool succeeded = false)
{
    return {id, attempt, finished, succeeded};
}

} // namespace

TEST_CASE("an execution stays in doubt until every live client of its service has answered")
{
    auto question = about_both();
    CHECK(question.finding(first, false).what == kind::open);
    question.answered("c1", {});
    CHECK(question.has_answered("c1"));
    CHECK_FALSE(question.has_answered("c2"));
    CHECK(question.finding(first, false).what == kind::open);
    CHECK(question.finding(first, true).what == kind::absent);
}

TEST_CASE("the client that has the attempt holds the execution, before all have answered")
{
    auto question = about_both();
    question.answered("c1", {held(first, 3)});
    CHECK(question.finding(first, false).what == kind::held);
    CHECK(question.finding(first, false).client == "c1");
    CHECK(question.finding(second, true).what == kind::absent);
}

TEST_CASE("what a client has given back it does not have, whatever an earlier answer of it says")
{
    auto question = about_both();
    SECTION("the answer came before")
    {
        question.answered("c1", {held(first, 3)});
        question.given_back(first, "c1");
    }
    SECTION("the answer comes later")
    {
        question.given_back(first, "c1");
        question.answered("c1", {held(first, 3), held(second, 1)});
        CHECK(question.finding(second, false).client == "c1");
    }
    CHECK(question.has_answered("c1"));
    CHECK(question.finding(first, false).what == kind::open);
    CHECK(question.finding(first, true).what == kind::absent);
    question.answered("c2", {held(first, 3)});
    CHECK(question.finding(first, true).client == "c2");
}

TEST_CASE("an execution that has ended at its client stays there until its result comes, though no slot runs it")
{
    auto question = about_both();
    bool const succeeded = GENERATE(true, false);
    bool const before = GENERATE(true, false);
    if (before)
        question.answered("c1", {held(first, 3, true, succeeded)});
    question.given_back(first, "c1");
    if (!before)
        question.answered("c1", {held(first, 3, true, succeeded)});
    CHECK(question.finding(first, true).client == "c1");
}

TEST_CASE("the client that has the attempt tells for how long its handler has run, and nonsense counts as not begun")
{
    auto question = about_both();
    auto first_run = held(first, 3);
    first_run.run_ms = 4'200;
    auto second_run = held(second, 3);
    second_run.run_ms = -1;
    question.answered("c1", {first_run, second_run});
    CHECK(question.finding(first, false).ran == 4'200ms);
    CHECK(question.finding(second, false).ran == 0ms);
}

TEST_CASE("a client that knows the success of an earlier attempt holds the execution")
{
    auto question = about_both();
    question.answered("c1", {held(first, 2, true, true)});
    CHECK(question.finding(first, false).what == kind::held);
}

TEST_CASE("a client that remembers the failure of an earlier attempt does not hold the execution")
{
    auto question = about_both();
    question.answered("c1", {held(first, 2, true, false)});
    CHECK(question.finding(first, false).what == kind::open);
    CHECK(question.finding(first, true).what == kind::absent);
}

TEST_CASE("an execution whose earlier attempt runs waits for the end of that attempt")
{
    auto question = about_both();
    question.answered("c1", {held(first, 2)});
    CHECK(question.finding(first, true).what == kind::runs_earlier);
    CHECK(question.finding(first, true).client == "c1");
    CHECK(question.finding(first, true).attempt == 2);
    question.answered("c2", {held(first, 3)});
    CHECK(question.finding(first, true).client == "c2");
}

TEST_CASE("executions that stay in doubt do not keep those behind them from being asked about")
{
    std::set<execution_id> in_doubt;
    for (int id = 1; id <= 25; ++id)
        in_doubt.insert(execution_id{id});
    std::set<execution_id> asked;
    execution_id after{};
    for (int question = 0; question < 3; ++question) { // none of them is decided
        auto const next = next_in_turn(in_doubt, after, 10);
        asked.insert(next.begin(), next.end());
        after = next.size() < 10 ? execution_id{} : next.back();
    }
    CHECK(asked == in_doubt);
    CHECK(next_in_turn(in_doubt, after, 10).front() == execution_id{1}); // and again
    CHECK(next_in_turn(in_doubt, execution_id{25}, 10).front() == execution_id{1});
    CHECK(next_in_turn({}, after, 10).empty());
}

TEST_CASE("an answer about an execution that was not asked for is ignored")
{
    auto question = about_both();
    question.answered("c1", {held(execution_id{9}, 1)});
    CHECK(question.finding(first, true).what == kind::absent);
    CHECK(question.finding(execution_id{9}, false).what == kind::open);
}

} // namespace doubt_test
