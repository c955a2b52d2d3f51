#include "baton/client/service.hpp"
#include "tests/unit/client-sdk/fake_node.hpp"

#include <set>

namespace service_faults_test {

using namespace baton;
using namespace baton::client::test;
using baton::client::execution;
using baton::client::result;
using protocol::ack;
using protocol::state;

namespace {

std::unique_ptr<client::service> serve(std::vector<std::string> triggers)
{
    client::service_options options;
    options.name = "billing";
    options.triggers = std::move(triggers);
    options.slots = 1;
    options.heartbeat = 50ms;
    auto service = std::make_unique<client::service>(options);
    service->handle("work", [](execution& run) { return result::ok(run.payload()); });
    service->start();
    return service;
}

} // namespace

TEST_CASE("a result whose acknowledgement is lost is sent again until it is acknowledged", "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.unrecorded = 2; });
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    REQUIRE(node.wait([](auto const& told) { return final_of(told.results, 1).size() >= 3; }));
    service->stop();
    CHECK(final_of(node.snapshot().results, 1).size() == 3);
}

TEST_CASE("a result that a node cannot store now is sent again", "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.failing_results = 3; });
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    REQUIRE(node.wait(ended(1)));
    CHECK(node.snapshot().batches.size() == 4);
}

TEST_CASE("a client repeats the ticket of its last registration and the receipt of each attempt", "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.ticket = "t1"; });
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    auto first = work(1, "work");
    first.receipt = "r1";
    node.dispatch({first});
    REQUIRE(node.wait(ended(1)));
    node.with([](auto& manners) {
        manners.ticket = "t2";
        manners.forgets = true;
    });
    REQUIRE(
        node.wait([](auto const& told) { return !told.heartbeats.empty() && told.heartbeats.back().ticket == "t2"; }));
    service->stop();
    auto const told = node.snapshot();
    CHECK(told.heartbeats.at(0).ticket == "t1");
    CHECK(told.heartbeats.at(0).clock_ms > 0);
    CHECK(final_of(told.results, 1).at(0).receipt == "r1");
    CHECK(told.tickets == std::vector<std::string>{"t1", "t2"}); // of the result, and of the departure
}

TEST_CASE("a result whose receipt is refused is not sent again", "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.refuses = true; });
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    REQUIRE(node.wait(ended(1)));
    service->stop(); // waits for the acknowledgement of all results
    CHECK(final_of(node.snapshot().results, 1).size() == 1);
}

TEST_CASE("a client that its home cannot reach registers with the named node and says which one could not", "[client]")
{
    fake_node first;
    fake_node second;
    first.with([&](auto& manners) {
        manners.name = "first";
        manners.reach = protocol::reach::unreachable;
        manners.ask = protocol::watch_answer{true, second.url(), "node first cannot reach it"};
    });
    second.with([&](auto& manners) { manners.name = "second"; });
    auto const service = serve({first.url()});
    REQUIRE(second.wait([](auto const& told) { return told.heartbeats.size() >= 2; }));
    CHECK(first.snapshot().registrations.at(0).unreachable_from.empty());
    CHECK(second.snapshot().registrations.at(0).unreachable_from == std::vector<std::string>{"first"});
    second.with([&](auto& manners) { manners.forgets = true; }); // it has reached the client since
    REQUIRE(second.wait([](auto const& told) { return told.registrations.size() >= 2; }));
    CHECK(second.snapshot().registrations.at(1).unreachable_from.empty());
}

TEST_CASE("a client that is asked to move for balance counts no node as unable to reach it", "[client]")
{
    fake_node first;
    fake_node second;
    first.with([&](auto& manners) { manners.ask = protocol::watch_answer{true, second.url(), {}}; });
    auto const service = serve({first.url()});
    REQUIRE(second.wait(registered));
    CHECK(second.snapshot().registrations.at(0).unreachable_from.empty());
}

TEST_CASE("a client registers again with a node that has forgotten it", "[client]")
{
    fake_node node;
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.with([](auto& manners) { manners.forgets = true; });
    REQUIRE(node.wait([](auto const& told) { return told.registrations.size() == 2; }));
    auto const told = node.snapshot();
    CHECK(told.registrations[0].instance == told.registrations[1].instance);
    CHECK(told.registrations[0].generation == 1);
    CHECK(told.registrations[1].generation == 2);
    CHECK(told.heartbeats.at(0).generation == 1);
    CHECK(told.registrations[0].secret == told.registrations[1].secret);
}

TEST_CASE("a client that counts as gone continues under a new name and refuses dispatches to the old one", "[client]")
{
    fake_node node;
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.with([](auto& manners) { manners.forgets = manners.buries = true; });
    REQUIRE(node.wait([](auto const& told) { return told.registrations.size() == 3; }));
    auto const told = node.snapshot().registrations;
    CHECK(told[0].instance == told[1].instance);
    CHECK(told[2].instance == told[0].instance + "~1");
    CHECK(told[2].secret.size() <= 64);
    auto const send = [&](std::int64_t execution, std::string const& secret) {
        protocol::dispatch_request const request{{1, 1}, {work(execution, "work")}};
        return node.call(told[2].address, secret, protocol::path_dispatch, request).status;
    };
    CHECK(send(1, told[0].secret) == 401);
    CHECK(send(2, told[2].secret) == 200);
    CHECK(node.wait(ended(2)));
    CHECK_FALSE(ended(1)(node.snapshot()));
}

TEST_CASE("when its node dies, a client registers with another and sends its results there", "[client]")
{
    auto a = std::make_unique<fake_node>();
    auto b = std::make_unique<fake_node>();
    auto const service = serve({a->url(), b->url()});
    // It starts with either node.
    auto const took_a = [&] { return !a->snapshot().registrations.empty(); };
    while (!took_a() && b->snapshot().registrations.empty())
        std::this_thread::yield();
    auto& first = took_a() ? a : b;
    auto& second = took_a() ? b : a;
    auto const who = first->snapshot().registrations[0];
    first->die();
    REQUIRE(second->wait(registered));
    CHECK(second->snapshot().registrations[0].instance == who.instance);
    CHECK(second->dispatch({work(1, "work")}).executions.at(0).answer == ack::accepted);
    CHECK(second->wait(ended(1)));
}

TEST_CASE("after a message of results has failed once, they go to the home again when that answers", "[client]")
{
    fake_node a, b;
    for (auto* const node : {&a, &b})
        node->with([](auto& manners) { manners.failing_results = 1; });
    auto const service = serve({a.url(), b.url()});
    // It starts with either node.
    while (a.snapshot().registrations.empty() && b.snapshot().registrations.empty())
        std::this_thread::yield();
    auto& home = a.snapshot().registrations.empty() ? b : a;
    auto& other = &home == &a ? b : a;
    other.with([](auto& manners) { manners.failing_results = 0; });
    home.dispatch({work(1, "work")});
    REQUIRE(other.wait(ended(1)));
    auto const heard = home.snapshot().heartbeats.size();
    REQUIRE(home.wait([&](auto const& told) { return told.heartbeats.size() >= heard + 2; }));
    home.dispatch({work(2, "work")});
    CHECK(home.wait(ended(2)));
    CHECK_FALSE(ended(2)(other.snapshot()));
}

TEST_CASE("a client joins through a later node of its list when the first ones do not answer", "[client]")
{
    fake_node node;
    auto const service = serve({"http://127.0.0.1:1", node.url()});
    CHECK(node.wait(registered));
}

TEST_CASE("a result that a node refuses does not hold up the others, and its outcome is reported in the end",
          "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.poison = "poison-value"; });
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    std::vector<protocol::dispatch> mixed;
    for (int i = 1; i <= 20; ++i)
        mixed.push_back(work(i, "work", i == 7 ? "poison-value" : "fine"));
    node.dispatch(mixed);
    for (int i = 1; i <= 20; ++i)
        REQUIRE(node.wait(ended(i)));
    auto const results = node.snapshot().results;
    auto const refused = final_of(results, 7).at(0);
    CHECK(refused.status == state::succeeded);
    CHECK(refused.value.is_null());
    CHECK_THAT(refused.error, Catch::Contains("400"));
    CHECK(final_of(results, 8).at(0).value.parse() == "fine");
}

TEST_CASE("no result is lost when several messages of results fail or are not acknowledged", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}, .slots = 8, .queue = 5'000}};
    service.handle("work", [](execution&) { return result::ok(); });
    service.start();
    REQUIRE(node.wait(registered));
    node.with([](auto& manners) {
        manners.failing_results = 3;
        manners.unrecorded = 3;
    });
    std::vector<protocol::dispatch> many;
    for (int i = 1; i <= 4'000; ++i)
        many.push_back(work(i, "work"));
    node.dispatch(many);
    auto const all_ended = [](auto const& told) {
        std::set<std::int64_t> ended;
        for (auto const& one : told.results)
            ended.insert(one.execution.value());
        return ended.size() == 4'000;
    };
    REQUIRE(node.wait(all_ended));
    service.stop(); // waits until all are acknowledged
    auto const told = node.snapshot();
    REQUIRE(told.batches.size() > 6);
    auto const unrecorded = told.batches[3] + told.batches[4] + told.batches[5]; // after the three that failed
    CHECK(told.results.size() == 4'000 + unrecorded);
}

TEST_CASE("a repeated delivery runs once", "[client]")
{
    fake_node node;
    auto const service = serve({node.url()});
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    REQUIRE(node.wait(ended(1)));
    auto const again = node.dispatch({work(1, "work")}).executions.at(0);
    CHECK(again.answer == ack::finished);
    CHECK(again.holds == 1);
    auto const held =
        node.call(protocol::path_query, protocol::executions_request{{1, 1}, {execution_id{1}, execution_id{2}}});
    CHECK(
        nlohmann::json::parse(held.body)["held"] ==
        nlohmann::json::parse(R"([{"execution": 1, "attempt": 1, "finished": true, "succeeded": true, "run_ms": 0}])"));
}

TEST_CASE("a client that is asked to register later leaves the nodes alone for so long, and then asks the next",
          "[client]")
{
    fake_node full;
    fake_node next;
    full.with([](auto& manners) { manners.later = 1; });
    next.with([](auto& manners) { manners.later = 1; });
    auto const service = serve({full.url(), next.url()});
    auto const begun = [](auto const& told) { return !told.registrations.empty(); };
    REQUIRE(full.wait(begun));
    REQUIRE(next.wait(begun));
    auto const apart = full.snapshot().registered_at.at(0) - next.snapshot().registered_at.at(0);
    CHECK(std::max(apart, -apart) >= 1s);
    CHECK(std::max(apart, -apart) < 5s); // it adds at most as much again
}

TEST_CASE("a client whose home cannot vouch for it now stays with it if no other node takes it", "[client]")
{
    fake_node home;
    home.with([](auto& manners) { manners.ticket = "t1"; });
    auto const service = serve({home.url()});
    REQUIRE(home.wait([](auto const& told) { return !told.heartbeats.empty(); }));
    home.with([](auto& manners) { manners.lapsed = 3; });
    auto const before = home.snapshot().heartbeats.size();
    REQUIRE(home.wait([&](auto const& told) { return told.heartbeats.size() >= before + 5; }));
    CHECK(home.snapshot().registrations.size() == 1);

    fake_node other;
    home.with([&](auto& manners) { manners.ask = protocol::watch_answer{true, other.url(), ""}; });
    REQUIRE(other.wait(registered)); // it watches its home again
}

} // namespace service_faults_test
