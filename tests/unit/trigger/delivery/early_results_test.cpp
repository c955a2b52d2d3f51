// Results that are recorded before the answer to their dispatch has come, or that another client has sent.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace early_results_test {

using namespace baton;
using namespace baton::trigger;
using protocol::ack;
using fake_calls = test::fake_client_calls;
using test::ids;

namespace {

struct fixture : test::dispatcher_stage {
    fixture()
    {
        add("a", 1, 1);
        calls.takes = 50ms;
    }
    void ends(int id, std::string const& sender = "a", int attempt = 1)
    {
        deliveries.execution_ended(sender, {execution_id{id}, attempt});
    }
    int free_slots() { return deliveries.figures("a").value().free_slots; }
};

} // namespace

TEST_CASE("a result that comes before the answer frees the slot")
{
    fixture f;
    f.assign({1});
    f.pass(10ms);
    f.ends(1);
    CHECK(f.free_slots() == 0); // its request is still on its way
    f.pass(1s);
    CHECK(f.told() == fixture::words{"1 at a"});
    CHECK(f.free_slots() == 1);
}

TEST_CASE("a result of an earlier attempt does not end the one that is on its way")
{
    fixture f;
    f.assign({1}, 2);
    f.pass(10ms);
    f.ends(1, "a", 1);
    f.pass(1s);
    CHECK(f.free_slots() == 0);
    f.ends(1, "a", 2);
    CHECK(f.free_slots() == 1);
}

TEST_CASE("an execution whose result has come is not sent again, although its client did not answer")
{
    fixture f;
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
    f.assign({1, 2});
    f.pass(10ms);
    f.ends(1);
    f.pass(1s);
    f.calls.responders.clear();
    f.pass(10s);
    auto const sent = f.calls.to("a");
    CHECK(std::ranges::count(sent, execution_id{1}) == 1);
    CHECK(std::ranges::count(sent, execution_id{2}) > 1);
    CHECK(f.hears(execution_id{1}, "at a"));
    CHECK(f.hears(execution_id{2}, "at a"));
}

TEST_CASE("a result frees the slot of the client that had the execution, whoever sends it")
{
    fixture f;
    f.assign({1});
    bool const early = GENERATE(true, false);
    f.pass(early ? 10ms : 1s);
    if (early)
        CHECK(f.deliveries.figures("a").value().in_flight == 1);
    f.ends(1, "another");
    f.pass(1s);
    CHECK(f.free_slots() == 1);
}

} // namespace early_results_test
