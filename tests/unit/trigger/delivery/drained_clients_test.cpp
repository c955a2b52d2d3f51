// The figures of a node's clients, and clients that a person drains.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace drained_clients_test {

using namespace baton;
using test::ids;
using fixture = test::dispatcher_stage;

TEST_CASE("the figures of a client count what it has, what is on its way and what waits for it")
{
    fixture f;
    CHECK_FALSE(f.deliveries.figures("a"));
    f.add("a", 2, 3);
    CHECK(f.clients.all["a"].answered_at != instant{}); // to the probe
    f.clients.all["a"].answered_at = {};
    f.calls.takes = 10ms;
    f.assign({1});
    f.pass(5ms);
    f.assign({2, 3});
    f.pass(1ms);
    auto const busy = f.deliveries.figures("a").value();
    CHECK(busy.free_slots == 0);
    CHECK(busy.in_flight == 1);
    CHECK(busy.waiting == 2);
    CHECK(f.clients.all["a"].answered_at == instant{});
    f.pass(1s);
    f.deliveries.execution_ended("a", {execution_id{1}, 1});
    f.deliveries.execution_ended("a", {execution_id{2}, 1});
    auto const later = f.deliveries.figures("a").value();
    CHECK(later.free_slots == 1);
    CHECK(later.in_flight == 1);
    CHECK(later.waiting == 0);
    CHECK(f.clients.all["a"].answered_at != instant{});
}

TEST_CASE("a client that a person drains ends what it has and gets nothing new, until it is resumed")
{
    fixture f;
    f.add("a", 3, 4);
    f.calls.takes = 100ms;
    f.assign({1});
    f.pass(5ms);
    f.assign({2, 3}); // wait for it
    f.add("b", 4);
    f.pass(1ms);
    auto const drain = [&](bool wanted) {
        f.clients.all["a"].drained = wanted;
        f.deliveries.client_changed("a");
    };
    drain(true);
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.calls.to("b") == ids({2, 3}));
    f.assign({4, 5});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1}));
    auto const of_b = protocol::handler_capacity{{"h"}, 4, 4};
    CHECK(f.deliveries.capacity().services.at(0).classes == std::vector{of_b});
    f.deliveries.execution_ended("a", {execution_id{1}, 1});
    drain(false);
    CHECK(f.deliveries.capacity().services.at(0).classes.at(0).slots == 7);
    f.assign({6});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1, 6}));
}

TEST_CASE("work that a drained client may have is asked of that client, and of no other")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.move_away("b");
    bool silent = true;
    f.calls.responders["a"] = [&](auto const& message) {
        return silent ? test::fake_client_calls::none(true)
                      : test::fake_client_calls::all(message, protocol::ack::running);
    };
    f.assign({1});
    f.pass(5ms);
    f.clients.all["a"].drained = true;
    f.deliveries.client_changed("a");
    f.add("b");
    silent = false;
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1, 1}));
    CHECK(f.calls.to("b").empty());
}

} // namespace drained_clients_test
