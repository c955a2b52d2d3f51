// Executions that clients have for longer than their timeouts without a report that they run.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/unreported_runs.hpp"

#include <catch2/catch.hpp>

namespace unreported_runs_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fixture : test::node_stage {
    std::vector<std::pair<int, duration>> running;
    std::vector<int> lost;
    unreported_runs part{scope(),
                         calls,
                         {[this](open_execution const& one, duration ran) {
                              running.emplace_back(static_cast<int>(one.id.value()), ran);
                          },
                          [this](open_execution& one) { lost.push_back(static_cast<int>(one.id.value())); }}};

    fixture() : node_stage(1)
    {
        add_task(1, {{"timeout_ms", 10'000}});
        add_task(2);
        add_client("a", "n1");
        add_execution(1, 1);
        add_execution(2, 2);
        load();
        host.spawn(clients->run());
        host.spawn(part.run());
        pass(1s);
        open.move(one(1), phase::held, "a");
        open.move(one(2), phase::held, "a");
    }
    ~fixture() { stage.end(); }

    void says(std::vector<protocol::held_execution> const& held)
    {
        calls.questions["n1"] = [held](protocol::ask_request const&) {
            protocol::ask_answer out;
            out.answered.push_back({"a", held});
            return out;
        };
    }
    std::size_t questions() const { return calls.asked.size(); }
};

} // namespace

TEST_CASE("a client is asked what runs after the timeout and the time for a report, and only about what has a timeout")
{
    fixture f;
    f.says({{execution_id{1}, 1, false, false, 11'500}});
    f.pass(11s);
    CHECK(f.questions() == 0);
    f.pass(2s);
    REQUIRE(f.questions() == 1);
    CHECK(f.calls.asked.front().second.executions == ids({1}));
    CHECK(f.running == std::vector<std::pair<int, duration>>{{1, 11'500ms}});
    CHECK(f.lost.empty());
}

TEST_CASE("an execution of which it is known that it runs, or that its client has no more, is not asked about")
{
    fixture f;
    SECTION("known")
    {
        f.open.run_is_known(f.one(1));
    }
    SECTION("in doubt")
    {
        f.open.move(f.one(1), phase::in_doubt);
    }
    SECTION("ended")
    {
        f.open.erase(execution_id{1});
    }
    f.pass(1min);
    CHECK(f.questions() == 0);
}

TEST_CASE("one that waits in the queue of its client is asked about again after pauses that double")
{
    fixture f;
    f.says({{execution_id{1}, 1, false, false, 0}});
    f.pass(100s);
    CHECK(f.questions() == 4); // after 12, 24, 48 and 96 s
    CHECK(f.running.empty());
    CHECK(f.lost.empty());
}

TEST_CASE("what its client does not have is lost, and what has ended there is not")
{
    fixture f;
    bool const ended = GENERATE(true, false);
    f.says(ended ? std::vector<protocol::held_execution>{{execution_id{1}, 1, true, true, 0}}
                 : std::vector<protocol::held_execution>{});
    f.pass(13s);
    CHECK(f.lost == (ended ? std::vector<int>{} : std::vector<int>{1}));
}

TEST_CASE("a failure without a result is lost after two minutes, and a success never")
{
    fixture f;
    bool const succeeded = GENERATE(false, true);
    f.says({{execution_id{2}, 1, true, succeeded, 0}});
    f.open.erase(execution_id{1});
    f.open.expect_result(f.one(2));
    f.pass(100s);
    CHECK(f.lost.empty());
    f.pass(25s);
    CHECK(f.lost == (succeeded ? std::vector<int>{} : std::vector<int>{2}));
    f.one(2).attempt = 2;
    CHECK_FALSE(f.one(2).result_is_lost(f.host.time().now()));
}

TEST_CASE("a client that does not answer loses nothing by it, and is asked again")
{
    fixture f;
    f.pass(30s);
    CHECK(f.questions() == 2);
    CHECK(f.lost.empty());
}

} // namespace unreported_runs_test
