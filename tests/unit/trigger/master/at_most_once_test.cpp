// A whole term with a task whose executions may begin at most once ("max_deaths": 1).

#include "tests/unit/trigger/master/master_stage.hpp"

#include <catch2/catch.hpp>

namespace at_most_once_test {

using namespace baton;
using namespace baton::trigger;
using protocol::return_cause;
using test::ids;

namespace {

struct fixture : test::master_stage {
    explicit fixture(int max_deaths = 1) : master_stage(1, {{"max_deaths", max_deaths}, {"max_attempts", 3}}) {}

    std::string state() { return node_stage::state(1); }
    bool is_marked() { return number("SELECT COALESCE(out_attempt, 0) FROM execution WHERE id = 1") == attempt(); }
};

} // namespace

TEST_CASE("an execution that may begin at most once is marked before it is sent, and its home knows that")
{
    fixture f;
    REQUIRE(f.fired() == ids({1}));
    CHECK(f.is_marked());
    CHECK(f.assigned.back().executions.back().once);
}

TEST_CASE("an execution that may begin at most once fails if it was sent and no client has it")
{
    int const max_deaths = GENERATE(1, 2);
    fixture f(max_deaths);
    f.undelivered(1, return_cause::in_doubt); // no client has it
    f.pass(2s);
    CHECK(f.fired() == (max_deaths == 1 ? ids({1}) : ids({1, 1})));
    CHECK(f.state() == (max_deaths == 1 ? "failed" : "planned"));
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE reason = '" + std::string(protocol::perhaps_begun) + "'") ==
          (max_deaths == 1 ? 1 : 0));
}

TEST_CASE("an execution that may begin at most once fails when its client has lost it")
{
    fixture f;
    f.delivered(1);
    f.undelivered(1, return_cause::lost);
    f.pass(2s);
    CHECK(f.fired() == ids({1}));
    CHECK(f.state() == "failed");
}

TEST_CASE("an execution that may begin at most once stays with the client that has it")
{
    fixture f;
    f.held = {{execution_id{1}, 1, false, false}};
    f.undelivered(1, return_cause::in_doubt);
    f.pass(2s);
    CHECK(f.fired() == ids({1}));
    CHECK(f.state() == "planned");
}

TEST_CASE("an execution that may begin at most once goes out again if no client has begun it")
{
    fixture f;
    SECTION("its home could give it to no client")
    {
        f.undelivered(1, return_cause::no_room);
        f.pass(2s);
        CHECK(f.attempt() == 1);
    }
    SECTION("its client gives it back")
    {
        f.delivered(1);
        f.undelivered(1, return_cause::given_back);
        f.pass(2s);
        CHECK(f.attempt() == 1);
    }
    SECTION("its client gives it back while it is in doubt")
    {
        f.client.clear(); // no answer yet
        f.undelivered(1, return_cause::in_doubt);
        f.pass(300ms);
        f.undelivered(1, return_cause::given_back);
        f.client = "a";
        f.pass(2s);
        CHECK(f.attempt() == 2);
    }
    CHECK(f.fired() == ids({1, 1}));
    CHECK(f.is_marked());
}

} // namespace at_most_once_test
