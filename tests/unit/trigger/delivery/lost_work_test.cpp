// Executions that a client took and lost.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace lost_work_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fixture : test::dispatcher_stage {
    explicit fixture(int slots = 2)
    {
        add("a", slots, 2);
        assign({1, 2});
        pass();
    }
    // The client says that it runs these.
    void runs(std::vector<int> const& numbers, bool finished = false)
    {
        calls.answer_question = [numbers, finished](auto const&) {
            protocol::query_answer answer;
            for (auto const number : numbers)
                answer.held.push_back({execution_id{number}, 1, finished});
            return std::optional(answer);
        };
    }
    void beat(int free, int times = 1)
    {
        for (int i = 0; i < times; ++i) {
            pass(5s);
            deliveries.told_free_slots("a", free);
            pass();
        }
    }
    std::vector<execution_id> asked(std::size_t question) const
    {
        auto all = calls.asked.at(question).second;
        std::ranges::sort(all);
        return all;
    }
};

} // namespace

TEST_CASE("after three heartbeats that show a free slot too many the client is asked, and what it lost is in doubt")
{
    fixture f;
    f.runs({1});
    f.beat(1, 2);
    CHECK(f.calls.asked.empty());
    f.beat(1);
    REQUIRE(f.calls.asked.size() == 1);
    CHECK(f.asked(0) == ids({1, 2}));
    CHECK(f.hears(execution_id{2}, "lost"));
    CHECK_FALSE(f.hears(execution_id{1}, "lost"));
    CHECK(f.deliveries.figures("a")->in_flight == 1);
    f.beat(1, 10);
    CHECK(f.calls.asked.size() == 1);
}

TEST_CASE("a heartbeat that agrees with this node resets the count of contradictions")
{
    fixture f(3);
    f.runs({1});
    f.beat(2, 2);
    f.beat(1);
    f.beat(2, 2);
    CHECK(f.calls.asked.empty());
    f.beat(2);
    CHECK(f.calls.asked.size() == 1);
}

TEST_CASE("a heartbeat without a free slot tells nothing of what is beyond the slots, and frees nothing")
{
    fixture f;
    f.runs({1});
    f.beat(1, 2);
    CHECK(f.deliveries.figures("a")->free_slots == 1);
    f.assign({3});
    f.beat(0);
    CHECK(f.deliveries.figures("a")->free_slots == 0);
    f.deliveries.execution_ended("a", {execution_id{3}, 1});
    CHECK(f.deliveries.figures("a")->free_slots == 1);
    f.beat(1);
    REQUIRE(f.calls.asked.size() == 1);
    CHECK(f.asked(0) == ids({1, 2}));
}

TEST_CASE("what was lost after the first doubtful heartbeat is asked about after further ones")
{
    fixture f;
    f.runs({});
    f.beat(1, 2);
    f.assign({3});
    f.beat(2);
    CHECK(f.hears(execution_id{1}, "lost"));
    CHECK_FALSE(f.hears(execution_id{3}, "lost"));
    f.beat(2, 4);
    CHECK(f.hears(execution_id{3}, "lost"));
}

TEST_CASE("a repeated result of an earlier attempt does not end the present one")
{
    fixture f;
    f.assign({1}, 2);
    f.pass();
    f.deliveries.execution_ended("a", {execution_id{1}, 1});
    CHECK(f.deliveries.figures("a")->in_flight == 2);
    f.deliveries.execution_ended("a", {execution_id{1}, 2});
    CHECK(f.deliveries.figures("a")->in_flight == 1);
}

TEST_CASE("the answer of a client overrules its heartbeats, and the pauses between questions double")
{
    fixture f;
    f.runs({1, 2});
    f.beat(2, 60); // five minutes
    CHECK(f.calls.asked.size() >= 4);
    CHECK(f.calls.asked.size() <= 7);
    CHECK(f.told() == fixture::words{"1 at a", "2 at a"});
}

TEST_CASE("a client without free_slots is asked when its slots have been taken for long without an end")
{
    fixture f;
    f.runs({2});
    f.beat(0, 3);
    REQUIRE(f.calls.asked.size() == 1);
    CHECK(f.hears(execution_id{1}, "lost"));
    CHECK(f.deliveries.figures("a")->free_slots == 1);
}

TEST_CASE("what came after the first doubtful heartbeat is not asked about")
{
    fixture f;
    f.runs({1, 2});
    f.beat(1, 2);
    f.assign({3});
    f.beat(1);
    REQUIRE(f.calls.asked.size() == 1);
    CHECK(f.asked(0) == ids({1, 2}));
}

TEST_CASE("a client that does not answer the question loses nothing by it")
{
    fixture f;
    f.beat(1, 3);
    CHECK(f.calls.asked.size() == 1);
    CHECK(f.told() == fixture::words{"1 at a", "2 at a"});
}

TEST_CASE("an execution whose end is recorded during the question is not lost")
{
    fixture f;
    f.runs({1});
    f.calls.takes = 100ms;
    f.beat(1, 3);
    f.deliveries.execution_ended("a", {execution_id{2}, 1});
    f.pass(1s);
    CHECK(f.told() == fixture::words{"1 at a", "2 at a"});
}

TEST_CASE("one that the client says has ended takes no slot, and the master is to find its result")
{
    fixture f;
    f.runs({1, 2}, true);
    f.beat(2, 3);
    CHECK(f.hears(execution_id{1}, "lost"));
    CHECK(f.deliveries.figures("a")->free_slots == 2);
}

} // namespace lost_work_test
