#include "web/waiting.hpp"

#include <catch2/catch.hpp>

namespace waiting_test {

using namespace baton;
using protocol::reach;
using protocol::state;
using storage::client_state;
using web::reason_of;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

storage::execution_record due(duration ago)
{
    storage::execution_record one;
    one.project = "default";
    one.service = "billing";
    one.handler = "close-day";
    one.due_at = noon - ago;
    return one;
}

storage::clients::alike client(std::vector<std::string> handlers, client_state up = client_state::up,
                               reach can = reach::reachable)
{
    return {{"default", "billing"}, std::move(handlers), up, can, 1};
}

web::cluster_view cluster(std::vector<storage::clients::alike> clients)
{
    return {noon, true, std::move(clients), {}};
}

} // namespace

TEST_CASE("the reason of an execution that has not begun names the place that the master tells")
{
    auto late = due(5s);
    late.id = execution_id{7};
    auto seen = cluster({client({"close-day"})});
    protocol::whereabouts place{late.id, protocol::place_kind::at_client, "host:1:aa", execution_id{3}};
    auto const reason = [&] {
        seen.places[late.id] = place;
        return reason_of(late, seen);
    };
    CHECK(reason() == "waits at client host:1:aa, where execution 3 runs");
    place.running_there = {};
    CHECK(reason() == "is with client host:1:aa, which has not reported that it began");
    place.kind = protocol::place_kind::at_node;
    place.name = "trigger-1:4:bb";
    CHECK(reason() == "node trigger-1:4:bb delivers it to a client");
    place.kind = protocol::place_kind::in_doubt;
    CHECK(reason() == "a client may already have it; the clients are being asked");
    seen.clients.clear();
    CHECK(reason() == "no client of service billing");
    seen = cluster({client({"close-day"})});
    seen.places.clear();
    CHECK(reason_of(late, seen) == "billing has no free slot");
    auto const soon = due(1s);
    CHECK(web::not_begun({late, soon}, noon) == std::vector{late.id});
}

TEST_CASE(
    "an execution waits for the first thing that it lacks: a master, a client, a handler, a reachable client, a slot")
{
    auto const late = due(5s);
    auto const serving = client({"close-day", "remind"});
    auto nobody = cluster({});
    CHECK(reason_of(late, nobody) == "no client of service billing");
    nobody.has_master = false;
    CHECK(reason_of(late, nobody) == "no master");
    nobody.has_master.reset(); // not known
    CHECK(reason_of(late, nobody) == "no client of service billing");
    auto elsewhere = serving;
    elsewhere.service.project = "sales";
    CHECK(reason_of(late, cluster({elsewhere})) == "no client of service billing");
    CHECK(reason_of(late, cluster({client({"remind"})})) == "no client of billing serves handler close-day");
    CHECK(reason_of(late, cluster({client({"close-day"}, client_state::draining)})) ==
          "the clients of billing are stopping");
    auto drained = client({"close-day"});
    drained.drained = true;
    CHECK(reason_of(late, cluster({drained})) == "the clients of billing are drained by a person");
    CHECK(reason_of(late, cluster({drained, serving})) == "billing has no free slot");
    auto const cut_off = client({"close-day"}, client_state::up, reach::unreachable);
    CHECK(reason_of(late, cluster({cut_off, client({"remind"})})) == "clients of billing cannot be reached");
    CHECK(reason_of(late, cluster({cut_off, serving})) == "billing has no free slot");
}

TEST_CASE("a service outside the default project is shown with its project")
{
    auto late = due(5s);
    late.project = "sales";
    CHECK(reason_of(late, cluster({})) == "no client of service sales/billing");
}

TEST_CASE("an execution that is not due, has just become due or runs has no reason to wait")
{
    CHECK_FALSE(reason_of(due(-1h), cluster({})));
    CHECK_FALSE(reason_of(due(1s), cluster({client({"close-day"})})));
    auto running = due(5s);
    running.state = state::running;
    CHECK_FALSE(reason_of(running, cluster({})));
    auto unknown = due(5s);
    unknown.service.clear();
    CHECK_FALSE(reason_of(unknown, cluster({})));
}

TEST_CASE("between two attempts an execution shows the time of the next one and the last error")
{
    auto retrying = due(-10s);
    retrying.state = state::retrying;
    auto const at = to_rfc3339(noon + 10s);
    CHECK(reason_of(retrying, cluster({})) == "waits for retry at " + at);
    retrying.last_error = "boom\r\nat main";
    CHECK(reason_of(retrying, cluster({})) == "waits for retry at " + at + ": boom");
    auto after_death = due(-10s);
    after_death.attempt = 2;
    CHECK(reason_of(after_death, cluster({})) == "waits for retry at " + at);
}

TEST_CASE("an execution that has ended shows its stored reason, or else the first line of its error")
{
    auto ended = due(5s);
    ended.due_at.reset();
    ended.state = state::failed;
    CHECK_FALSE(reason_of(ended, cluster({})));
    ended.last_error = "boom\nat main";
    CHECK(reason_of(ended, cluster({})) == "boom");
    ended.reason = "its client died 3 times while it may have been running";
    CHECK(reason_of(ended, cluster({})) == ended.reason);
    ended.reason.reset();
    ended.state = state::succeeded;
    CHECK_FALSE(reason_of(ended, cluster({})));
}

TEST_CASE("a long line of an error is cut between characters")
{
    auto ended = due(5s);
    ended.due_at.reset();
    ended.state = state::failed;
    ended.last_error = std::string(199, 'x') + "äöü";
    CHECK(reason_of(ended, cluster({})) == std::string(199, 'x') + "…");
}

TEST_CASE("the clients are looked up only for the services of executions that wait")
{
    auto running = due(5s);
    running.state = state::running;
    auto ended = due(5s);
    ended.due_at.reset();
    CHECK(web::awaited_services({running, ended}, noon).empty());
    CHECK(web::awaited_services({due(-5s)}, noon).empty()); // planned for later
    auto other = due(5s);
    other.service = "mail";
    auto const services = web::awaited_services({due(1s), other, due(2s), running}, noon);
    REQUIRE(services.size() == 2);
    CHECK(services[0].service == "billing");
    CHECK(services[1].service == "mail");
}

TEST_CASE("an execution waits for a client with its tag, or of its name")
{
    auto late = due(5s);
    late.task = task_id{7};
    late.task_version = 2;
    auto seen = cluster({client({"close-day"}), client({"/eu", "close-day"})});
    auto& wanted = seen.routes[{task_id{7}, 2}];
    wanted.tag = "gpu";
    CHECK(reason_of(late, seen) == "no client of billing that serves close-day has the tag gpu");
    wanted.tag = "eu";
    CHECK(reason_of(late, seen) == "billing has no free slot");
    wanted.names_client = true;
    CHECK(reason_of(late, seen) == "its client of billing takes no more");
    wanted.instance = "build-7";
    wanted.instance_is_there = false;
    CHECK(reason_of(late, seen) == "no client of billing has the name build-7");
}

TEST_CASE("an execution that a limit keeps back names the limit, and since when it waits")
{
    auto one = due(5s);
    one.id = execution_id{7};
    one.state = state::waiting;
    auto seen = cluster({});
    CHECK(reason_of(one, seen) == "as many executions of its task as may be under way at a time are");
    seen.waits[execution_id{7}] = {{protocol::blocker::task_concurrency, noon - 1h, noon - 1min},
                                   {protocol::blocker::service_rate, noon - 5s, std::nullopt}};
    CHECK(reason_of(one, seen) == "the rate limit of its service is reached; it waits since " + to_rfc3339(noon - 5s));
    CHECK(web::held_by_limits({due(-5s), one}, noon) == std::vector<execution_id>{execution_id{7}});
}

TEST_CASE("an execution that waits for a limit names the pause of its service, which goes before")
{
    auto one = due(5s);
    one.state = state::waiting;
    auto seen = cluster({});
    seen.pauses = {{{"default", "billing"}, protocol::paused_firings::hold, "new disk", "ann", noon - 1min}};
    CHECK(reason_of(one, seen) == "service 'billing' is paused: new disk (by ann)");
    one.cause = protocol::cause::forced; // no pause holds it back
    CHECK(reason_of(one, seen) ==
          "a handler of its task has not returned, though its execution has ended (baton executions release)");
    one.cause = protocol::cause::schedule;
    one.service = "mail";
    CHECK(reason_of(one, seen) == "as many executions of its task as may be under way at a time are");
}

TEST_CASE("an execution that waits behind a handler that has not returned says so and names its execution")
{
    auto one = due(5s);
    one.id = execution_id{7};
    one.task = task_id{3};
    one.state = state::waiting;
    auto seen = cluster({});
    seen.unresponsive[task_id{3}] = {execution_id{5}};
    CHECK(web::kept_back_by(one, seen) == std::vector<execution_id>{execution_id{5}});
    CHECK(reason_of(one, seen) ==
          "a handler of its task has not returned, though its execution has ended (baton executions release)");
    seen.waits[execution_id{7}] = {{protocol::blocker::service_rate, noon - 5s, std::nullopt}};
    CHECK(web::kept_back_by(one, seen).empty());
    CHECK(reason_of(one, seen) == "the rate limit of its service is reached; it waits since " + to_rfc3339(noon - 5s));
    one.task = task_id{4};
    seen.waits.clear();
    CHECK(web::kept_back_by(one, seen).empty());
}

TEST_CASE("an execution that a limit has just let go is not said to lack a slot")
{
    auto one = due(1h);
    one.id = execution_id{7};
    CHECK(web::held_by_limits({one}, noon) == std::vector<execution_id>{execution_id{7}});
    auto seen = cluster({client({"close-day"})});
    auto const wait_until = [&](utc_time end) {
        seen.waits[execution_id{7}] = {{protocol::blocker::task_concurrency, noon - 1h, end}};
    };
    wait_until(noon - 1s);
    CHECK_FALSE(reason_of(one, seen));
    wait_until(noon - 3s);
    CHECK(reason_of(one, seen) == "billing has no free slot");
}

} // namespace waiting_test
