#include "baton/client/service.hpp"
#include "tests/unit/client-sdk/fake_node.hpp"

#include <csignal>
#include <future>

namespace service_stop_test {

using namespace baton;
using namespace baton::client::test;
using baton::client::execution;
using baton::client::result;
using protocol::ack;
using protocol::state;

namespace {

client::service_options options(fake_node const& node, std::chrono::milliseconds grace)
{
    client::service_options one;
    one.name = "billing";
    one.triggers = {node.url()};
    one.slots = 1;
    one.grace = grace;
    return one;
}

} // namespace

TEST_CASE("a stopping client announces it, refuses new executions, finishes its own and leaves", "[client]")
{
    fake_node node;
    std::promise<void> begun;
    std::promise<void> enough;
    client::service service(options(node, 30s));
    service.handle("work", [&, waits = enough.get_future().share()](execution&) {
        begun.set_value();
        waits.wait();
        return result::ok("done");
    });
    service.start();
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    begun.get_future().wait();

    auto stopping = std::async(std::launch::async, [&] { service.stop(); });
    REQUIRE(node.wait([](auto const& told) { return !told.heartbeats.empty() && told.heartbeats.back().draining; }));
    auto const refused = node.dispatch({work(2, "work")});
    CHECK(refused.executions.at(0).answer == ack::draining);
    CHECK(refused.free == 0);
    CHECK(node.snapshot().left.empty());
    enough.set_value();
    stopping.get();

    auto const told = node.snapshot();
    CHECK(final_of(told.results, 1).at(0).value.parse() == "done");
    CHECK(told.left == std::vector<std::string>{service.instance()});
    CHECK_THROWS_AS(node.call(protocol::path_query, protocol::executions_request{{1, 1}, {execution_id{1}}}),
                    http::unreachable);
    service.stop(); // again: nothing left to do
}

TEST_CASE("near the end of the grace a handler is asked to stop", "[client]")
{
    fake_node node;
    client::service service(options(node, 2s));
    std::promise<void> begun;
    service.handle("work", [&](execution& run) {
        begun.set_value();
        while (!run.stop_requested())
            std::this_thread::yield();
        return result::fail("interrupted");
    });
    service.start();
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "work")});
    begun.get_future().wait();
    service.stop();
    auto const report = final_of(node.snapshot().results, 1).at(0);
    CHECK(report.status == state::failed);
    CHECK(report.error == "interrupted");
}

TEST_CASE("a handler that never returns is left behind within the grace and not reported", "[client]")
{
    fake_node node;
    auto const enough = std::make_shared<std::promise<void>>();
    auto const returned = std::make_shared<std::promise<void>>();
    auto const begun = std::make_shared<std::promise<void>>();
    auto const from = std::chrono::steady_clock::now();
    {
        client::service service(options(node, 400ms));
        service.handle("stuck", [=, waits = enough->get_future().share()](execution&) {
            begun->set_value();
            waits.wait();
            returned->set_value();
            return result::ok();
        });
        service.start();
        REQUIRE(node.wait(registered));
        node.dispatch({work(1, "stuck")});
        begun->get_future().wait();
        service.stop();
    }
    CHECK(std::chrono::steady_clock::now() - from < 20s);
    CHECK(node.snapshot().left.size() == 1);
    CHECK(final_of(node.snapshot().results, 1).empty());
    enough->set_value(); // it returns after the end of the pool
    CHECK(returned->get_future().wait_for(20s) == std::future_status::ready);
}

TEST_CASE("a client that reaches no node stops as well", "[client]")
{
    client::service_options lonely;
    lonely.name = "billing";
    lonely.triggers = {"http://127.0.0.1:1"};
    client::service service(lonely);
    service.handle("work", [](execution&) { return result::ok(); });
    service.start();
    service.stop();
    CHECK(service.port() != 0);
}

TEST_CASE("run returns after SIGTERM, drained", "[client]")
{
    fake_node node;
    client::service service(options(node, 30s));
    service.handle("work", [](execution&) { return result::ok(); });
    auto running = std::async(std::launch::async, [&] { service.run(); });
    REQUIRE(node.wait(registered));
    std::raise(SIGTERM);
    REQUIRE(running.wait_for(20s) == std::future_status::ready);
    running.get();
    CHECK(node.snapshot().left.size() == 1);
}

} // namespace service_stop_test
