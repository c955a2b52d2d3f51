// Executions that may begin at most once, at the home of their clients.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace dispatcher_once_test {

using namespace baton;
using namespace baton::trigger;
using fake_calls = test::fake_client_calls;
using test::ids;
using fixture = test::dispatcher_stage;

TEST_CASE("a message that may have arrived is not repeated for an execution that may begin at most once")
{
    fixture f;
    f.add("a");
    f.once = true;
    bool maybe_there = true;
    f.calls.responders["a"] = [&](auto const&) { return fake_calls::none(maybe_there); };
    SECTION("no answer")
    {
        f.assign({1});
        f.pass(30s);
        CHECK(f.told() == fixture::words{"1 in_doubt"});
        CHECK(f.calls.to("a") == ids({1}));
    }
    SECTION("the node's membership lapses meanwhile, and the master assigns it again")
    {
        f.calls.takes = 50ms;
        f.assign({1});
        f.pass(10ms);
        ++f.right.lapsed;
        f.pass(1s);
        CHECK(f.told().empty());
        f.assign({1});
        f.pass(30s);
        CHECK(f.told() == fixture::words{"1 in_doubt"});
        CHECK(f.calls.to("a") == ids({1}));
    }
    SECTION("one that certainly did not arrive goes back unharmed")
    {
        maybe_there = false;
        f.calls.unproved.insert("a");
        f.assign({1});
        f.pass(1s);
        CHECK(f.told() == fixture::words{"1 no_room"});
    }
}

TEST_CASE("an execution that may begin at most once waits at its node for a free slot of its client")
{
    fixture f;
    f.add("a", 1, 10);
    f.assign({1});
    f.pass();
    f.once = true;
    f.assign({2});
    f.pass(50ms);
    CHECK(f.calls.to("a") == ids({1}));
    SECTION("which a recorded end makes")
    {
        f.deliveries.execution_ended("a", {execution_id{1}, 1});
        f.pass(2ms);
        CHECK(f.calls.to("a") == ids({1, 2}));
    }
    SECTION("and goes back to the master if none becomes free soon")
    {
        f.pass(500ms);
        CHECK(f.calls.to("a") == ids({1}));
        CHECK(f.hears(execution_id{2}, "no_room"));
    }
}

} // namespace dispatcher_once_test
