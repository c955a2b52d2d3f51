#include "baton/client/service.hpp"
#include "tests/unit/client-sdk/fake_node.hpp"

#include <atomic>

namespace service_test {

using namespace baton;
using namespace baton::client::test;
using baton::client::execution;
using baton::client::result;
using protocol::ack;
using protocol::state;

TEST_CASE("a service registers, runs dispatched executions and reports their results", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}, .token = "shared", .slots = 2}};
    service.handle("close-day", [](execution& run) {
        auto day = run.payload().at("day").get<std::string>();
        return result::ok({{"closed", day}, {"key", run.idempotency_key()}, {"task", run.task()}});
    });
    service.start();
    REQUIRE(node.wait(registered));
    auto const said = node.snapshot().registrations[0];
    CHECK(said.service == "billing");
    CHECK(said.instance == service.instance());
    CHECK(said.address == service.address());
    CHECK(said.handlers == std::vector<std::string>{"close-day"});
    CHECK(said.slots == 2);

    auto const answer = node.dispatch({work(11, "close-day", {{"day", "monday"}}), work(12, "open-day")});
    REQUIRE(answer.executions.size() == 2);
    CHECK(answer.executions[0].answer == ack::accepted);
    CHECK(answer.executions[1].answer == ack::no_handler);
    REQUIRE(node.wait(ended(11)));
    service.stop();

    auto const told = node.snapshot();
    auto const reports = final_of(told.results, 11);
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].status == state::succeeded);
    CHECK(reports[0].value.parse() == nlohmann::json{{"closed", "monday"}, {"key", "11/1"}, {"task", "a task"}});
    CHECK(reports[0].started_at <= reports[0].finished_at);
    for (auto const& credential : told.credentials)
        CHECK(credential == "Bearer shared");
    CHECK(told.left == std::vector<std::string>{service.instance()});
}

TEST_CASE("a callback takes over the log of a service for as long as the service lives", "[client]")
{
    fake_node node;
    std::mutex mutex;
    std::vector<std::string> lines;
    {
        client::service_options options{.name = "billing", .triggers = {node.url()}};
        options.log = [&](client::log_level level, std::string_view line) {
            std::lock_guard const lock(mutex);
            if (level >= client::log_level::info)
                lines.emplace_back(line);
        };
        client::service service{std::move(options)};
        service.handle("work", [](execution&) { return result::ok(); });
        service.start();
        REQUIRE(node.wait(registered));
        service.stop();
    }
    auto const about_registration = [](std::string const& line) {
        return line.starts_with("client: registered service=billing instance=");
    };
    CHECK(std::count_if(lines.begin(), lines.end(), about_registration) == 1);
    auto const before = lines.size();
    client::service{{.name = "another", .triggers = {node.url()}}};
    CHECK(lines.size() == before);
}

TEST_CASE("an exception of a handler becomes a failed result", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}, .slots = 1}};
    service.handle("throws", [](execution&) -> result { throw std::runtime_error("broken \xff text"); });
    service.handle("throws-int", [](execution&) -> result { throw 7; });
    service.handle("fails", [](execution&) { return result::fail("no such day", {{"code", 3}}); });
    service.start();
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "throws"), work(2, "throws-int"), work(3, "fails")});
    REQUIRE(node.wait(ended(3)));
    auto const results = node.snapshot().results;
    CHECK(final_of(results, 1).at(0).status == state::failed);
    CHECK(final_of(results, 1).at(0).error == "broken \xef\xbf\xbd text");
    CHECK(final_of(results, 2).at(0).status == state::failed);
    CHECK(final_of(results, 3).at(0).error == "no such day");
    CHECK(final_of(results, 3).at(0).value.parse() == nlohmann::json{{"code", 3}});
}

TEST_CASE("a client refuses a wrong secret and a lower epoch", "[client]")
{
    fake_node node;
    node.with([](auto& manners) { manners.epoch = 5; });
    client::service service{{.name = "billing", .triggers = {node.url()}}};
    service.handle("work", [](execution&) { return result::ok(); });
    service.start();
    // A heartbeat with epoch 5 proves that the client has read the answer to its registration.
    auto const knows = [](auto const& told, std::int64_t epoch) {
        return !told.heartbeats.empty() && told.heartbeats.back().terms == std::vector<protocol::term_id>{{1, epoch}};
    };
    REQUIRE(node.wait([&](auto const& told) { return knows(told, 5); }));
    protocol::dispatch_request const request{{1, 5}, {work(1, "work")}};
    auto const stranger = node.call(service.address(), "guess", protocol::path_dispatch, request);
    CHECK(stranger.status == 401);
    auto const stale = node.call(protocol::path_dispatch, protocol::dispatch_request{{1, 4}, {work(1, "work")}});
    CHECK(stale.status == 409);
    CHECK(nlohmann::json::parse(stale.body) == nlohmann::json{{"epoch", 5}});
    CHECK(node.dispatch({work(1, "work")}, 6).executions.at(0).answer == ack::accepted);
    REQUIRE(node.wait([&](auto const& told) { return knows(told, 6); }));
}

TEST_CASE("a handler sees the request to stop after a cancellation and after its timeout", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}, .slots = 2}};
    std::atomic<int> begun = 0;
    service.handle("until-told", [&](execution& run) {
        ++begun;
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait(lock, run.stop_token(), [] { return false; });
        return result::fail(run.stop_requested() ? "told" : "not told");
    });
    service.start();
    REQUIRE(node.wait(registered));
    auto overdue = work(2, "until-told");
    overdue.timeout_us = 20'000;
    node.dispatch({work(1, "until-told"), overdue, work(3, "until-told")});
    REQUIRE(node.wait(ended(2)));
    node.call(protocol::path_cancel, protocol::executions_request{{1, 1}, {execution_id{1}, execution_id{3}}});
    REQUIRE(node.wait(ended(1)));
    REQUIRE(node.wait(ended(3)));
    auto const results = node.snapshot().results;
    CHECK(final_of(results, 1).at(0).status == state::cancelled);
    CHECK(final_of(results, 1).at(0).error == "told");
    CHECK(final_of(results, 2).at(0).status == state::timed_out);
    CHECK(final_of(results, 3).at(0).status == state::cancelled);
}

TEST_CASE("a long execution is reported while it runs, with its progress", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}}};
    std::promise<void> enough;
    service.handle("long", [&, waits = enough.get_future().share()](execution& run) {
        run.progress(140);
        waits.wait();
        return result::ok();
    });
    service.start();
    REQUIRE(node.wait(registered));
    node.dispatch({work(1, "long")});
    CHECK(node.wait([](auto const& told) { return !told.results.empty(); }));
    CHECK(node.snapshot().results.at(0).status == state::running);
    CHECK(node.snapshot().results.at(0).progress == 100);
    enough.set_value();
    CHECK(node.wait(ended(1)));
}

TEST_CASE("results gather while a message is on its way", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}, .slots = 2}};
    service.handle("work", [](execution&) { return result::ok(); });
    service.start();
    REQUIRE(node.wait(registered));
    node.with([](auto& manners) { manners.failing_results = 1; }); // the pause after it lets results gather
    std::vector<protocol::dispatch> many;
    for (int i = 1; i <= 800; ++i)
        many.push_back(work(i, "work"));
    CHECK(node.dispatch(many).executions.size() == 800);
    REQUIRE(node.wait([](auto const& told) { return told.results.size() >= 800; }));
    auto const told = node.snapshot();
    CHECK(told.results.size() == 800);
    CHECK(told.batches.size() < 400);
    CHECK(*std::max_element(told.batches.begin(), told.batches.end()) <= 500);
}

TEST_CASE("wrong names, a wrong order of calls and a taken port are refused", "[client]")
{
    CHECK_THROWS_WITH(client::service({.name = "", .triggers = {"http://127.0.0.1:1"}}), Catch::StartsWith("name"));
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}}};
    auto const nothing = [](execution&) { return result::ok(); };
    service.handle("work", nothing);
    CHECK_THROWS_AS(service.handle("work", nothing), std::invalid_argument);
    CHECK_THROWS_AS(service.handle("", nothing), std::invalid_argument);
    CHECK_THROWS_AS(service.handle("none", nullptr), std::invalid_argument);
    CHECK(service.port() == 0);
    service.stop(); // before start: nothing to stop
    service.start();
    CHECK(service.port() != 0);
    CHECK_THROWS_AS(service.handle("late", nothing), std::logic_error);
    CHECK_THROWS_AS(service.start(), std::logic_error);
    client::service twin{{.name = "billing", .triggers = {node.url()}, .port = service.port()}};
    CHECK_THROWS_AS(twin.start(), std::logic_error); // without a handler
    twin.handle("work", nothing);
    CHECK_THROWS_AS(twin.start(), std::runtime_error);
}

} // namespace service_test
