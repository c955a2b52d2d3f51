#include "tests/unit/trigger/clients/two_nodes.hpp"

#include <catch2/catch.hpp>

namespace registry_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("a node keeps nothing about the clients of other nodes")
{
    two_nodes f;
    CHECK(f.knows(*f.a));
    CHECK(f.b->clients.size() == 0);
    CHECK(f.beat(*f.b)); // by registering
    CHECK(f.knows(*f.b));
    f.pass(2s);
    CHECK(f.a->clients.size() == 0);
    CHECK_FALSE(f.a->clients.is_gone("host:1")); // it has moved
}

TEST_CASE("a client that leaves at another node is gone for its home too")
{
    two_nodes f;
    std::string home;
    f.b->clients.on_departure(
        [&](std::string const& instance, std::string const& heard_at) { home = instance + " of " + heard_at; });
    auto const leave_with = [&](std::string secret) -> awaitable<void> {
        protocol::leave_request leave;
        leave.instance = "host:1";
        leave.generation = f.taken_generation["host:1"];
        leave.secret = std::move(secret);
        co_await f.b->clients.leave(std::move(leave));
    };
    f.stage.play(leave_with("fedcba9876543210")); // of another client, or a guess
    f.pass(2s);
    CHECK(home.empty());
    CHECK(f.knows(*f.a));
    f.stage.play(leave_with("0123456789abcdef"));
    CHECK(home == "host:1 of a");
    f.pass(2s);
    CHECK_FALSE(f.knows(*f.a));
    CHECK(f.a->clients.is_gone("host:1"));
}

TEST_CASE("a home estimates by how much a client's clock is ahead from what its heartbeats tell")
{
    two_nodes f;
    auto const beat = [&](duration ahead) {
        protocol::heartbeat_request request;
        request.instance = "host:1";
        request.generation = f.taken_generation["host:1"];
        if (ahead != duration::max())
            request.clock_ms = (f.a->time.utc() + ahead).time_since_epoch() / 1ms;
        auto call = [&]() -> awaitable<void> { co_await f.a->clients.beat(request); };
        f.stage.play(call());
        return f.a->clients.find("host:1")->clock.ahead_ms();
    };
    CHECK_FALSE(beat(duration::max())); // of a client that tells no time
    CHECK(beat(-3s) == -3'000);
    CHECK(beat(-2'900ms) == -2'900); // it was quicker
    CHECK(beat(-4s) == -2'900);
    CHECK(beat(duration::max()) == -2'900);
}

TEST_CASE("only the node that a client registered with last takes its heartbeats")
{
    two_nodes f;
    auto const heard = [&](two_nodes::node& at) {
        protocol::heartbeat_request request;
        request.instance = "host:1";
        request.generation = f.taken_generation["host:1"];
        bool taken = false;
        auto call = [&]() -> awaitable<void> { taken = co_await at.clients.beat(request); };
        f.stage.play(call());
        return taken;
    };
    CHECK(heard(*f.a));
    CHECK_FALSE(heard(*f.b));
    CHECK(f.beat(*f.b)); // by registering
    f.pass(3s);
    CHECK_FALSE(heard(*f.a));
    CHECK(heard(*f.b));
}

TEST_CASE("a client that is silent for its ttl is gone for good")
{
    two_nodes f;
    f.pass(f.settings.ttl() - 5s);
    CHECK(f.knows(*f.a));
    f.pass(10s);
    CHECK_FALSE(f.knows(*f.a));
    CHECK_FALSE(f.beat(*f.b));
}

TEST_CASE("a message of an earlier registration changes nothing at the home of a later one")
{
    two_nodes f;
    f.join("host:1"); // again
    auto const late = f.taken_generation["host:1"] - 1;
    protocol::heartbeat_request beat;
    beat.instance = "host:1";
    beat.generation = late;
    auto again = make_request();
    again.generation = late;
    bool heard = true;
    auto answer = registry::joined::here;
    auto call = [&]() -> awaitable<void> {
        heard = co_await f.a->clients.beat(beat);
        answer = co_await f.a->clients.join(again);
        protocol::leave_request leave;
        leave.instance = "host:1";
        leave.generation = late;
        co_await f.a->clients.leave(std::move(leave));
    };
    f.stage.play(call());
    CHECK_FALSE(heard);
    CHECK(answer == registry::joined::overtaken);
    f.a->clients.moved("host:1", "b", late);
    CHECK(f.a->clients.hears("host:1"));
    f.a->clients.moved("host:1", "b", late + 2);
    CHECK_FALSE(f.a->clients.hears("host:1"));
}

TEST_CASE("a registration with the number of one that was taken, and with other content, is refused")
{
    two_nodes f;
    auto request = make_request();
    request.generation = 100;
    auto first = registry::joined::gone;
    auto same = first;
    auto other = first;
    auto next = first;
    auto call = [&]() -> awaitable<void> {
        first = co_await f.a->clients.join(request);
        same = co_await f.a->clients.join(request);
        ++request.slots;
        other = co_await f.a->clients.join(request);
        ++request.generation;
        next = co_await f.a->clients.join(request);
    };
    f.stage.play(call());
    CHECK(first == registry::joined::here);
    CHECK(same == registry::joined::here);
    CHECK(other == registry::joined::changed);
    CHECK(next == registry::joined::here);
}

TEST_CASE("a heartbeat and a repeated registration write nothing")
{
    two_nodes f;
    auto const before = f.stage.database.calls();
    auto again = make_request();
    again.generation = f.taken_generation["host:1"];
    auto answer = registry::joined::gone;
    auto call = [&]() -> awaitable<void> {
        for (int i = 0; i < 100; ++i) {
            answer = co_await f.a->clients.join(again);
            protocol::heartbeat_request beat;
            beat.instance = again.instance;
            beat.generation = again.generation;
            co_await f.a->clients.beat(std::move(beat));
        }
    };
    f.stage.play(call());
    CHECK(answer == registry::joined::here);
    CHECK(f.stage.database.calls() == before);

    again.secret = "another-secret-16"; // of another client with this name
    auto other = [&]() -> awaitable<void> { answer = co_await f.a->clients.join(again); };
    f.stage.play(other());
    CHECK(answer == registry::joined::gone);
}

TEST_CASE("a thousand clients that are silent at once are buried in two groups and reported together")
{
    two_nodes f;
    auto join = [&](protocol::register_request request) -> awaitable<void> {
        co_await f.a->clients.join(std::move(request));
    };
    for (int i = 0; i < 1'000; ++i) {
        auto request = make_request();
        request.instance = "crowd:" + std::to_string(i);
        f.a->host.spawn(join(std::move(request)));
    }
    f.pass(1s);
    std::map<instant, int> departures;
    f.a->clients.on_departure([&](auto const&, auto const&) { ++departures[f.stage.time.now()]; });
    for (int i = 0; i < 1'000; ++i)
        f.a->clients.find("crowd:" + std::to_string(i))->heard_at = f.a->time.now();
    f.pass(7s);
    CHECK(f.beat(*f.a));
    f.pass(f.settings.ttl() - 8s);
    CHECK(f.a->clients.size() == 1'001);
    auto const before = f.stage.database.calls();
    f.pass(3s);
    CHECK(departures.size() == 1);
    CHECK(f.a->clients.size() == 1);
    CHECK(f.stage.database.calls() - before <= 2 + 8); // the two groups, and the rounds of two nodes
}

TEST_CASE("a node looks at its clients only when one of them may have been silent for its ttl")
{
    two_nodes f;
    for (int i = 2; i <= 100; ++i)
        f.join("host:" + std::to_string(i));
    auto const beats = [&](int rounds) {
        for (int round = 0; round < rounds; ++round) {
            for (int i = 1; i <= 100; ++i)
                f.a->clients.find("host:" + std::to_string(i))->heard_at = f.a->time.now();
            f.pass(f.settings.heartbeat);
        }
    };
    beats(3);
    auto const before = f.a->clients.looks();
    beats(12); // four times their ttl
    CHECK(f.a->clients.size() == 100);
    CHECK(f.a->clients.looks() - before <= 7 * 100); // the last heartbeats shorten the pauses between two looks
}

TEST_CASE("the answer to a group was lost, and the node adopts its clients with one question")
{
    two_nodes f;
    f.stage.database.faults.lose_reply = 1;
    std::vector<protocol::register_request> requests;
    int failed = 0;
    auto join = [&](protocol::register_request request) -> awaitable<void> {
        try {
            co_await f.a->clients.join(std::move(request));
        } catch (unavailable const&) {
            ++failed;
        }
    };
    for (int i = 0; i < 300; ++i) {
        auto request = make_request();
        request.instance = "crowd:" + std::to_string(i);
        f.a->host.spawn(join(std::move(request)));
    }
    f.pass(500ms);
    f.stage.database.faults.lose_reply = 0;
    f.pass(1s);
    CHECK(failed == 300);
    auto const before = f.stage.database.calls();
    f.pass(2s);
    CHECK(f.a->clients.size() == 301);
    CHECK(f.stage.database.calls() - before <= 10);
}

TEST_CASE("the home of a client learns from its row that a person drains it, and so does the next home")
{
    two_nodes f;
    storage::clients table(*f.b->database);
    std::vector<std::string> changed;
    f.a->clients.on_change([&](std::string const& instance) { changed.push_back(instance); });
    auto change = [&](bool drain) -> awaitable<void> {
        if (drain)
            co_await table.drain("host:1", "ann", "new disk");
        else
            co_await table.resume("host:1");
    };
    f.stage.play(change(true));
    f.pass(2s);
    CHECK(f.a->clients.find("host:1")->drained);
    CHECK_FALSE(f.a->clients.find("host:1")->gets_work());
    CHECK(changed == std::vector<std::string>{"host:1"});
    CHECK(f.beat(*f.a));
    CHECK(f.a->clients.find("host:1")->drained);
    f.join("host:1"); // again
    CHECK(f.a->clients.find("host:1")->drained);
    CHECK(f.beat(*f.b)); // by registering
    CHECK(f.b->clients.find("host:1")->drained);
    f.stage.play(change(false));
    f.pass(2s);
    CHECK(f.b->clients.find("host:1")->gets_work());
}

TEST_CASE("a client that answers that it stops is recorded as draining, although its heartbeats have not said so")
{
    two_nodes f;
    storage::clients table(*f.b->database);
    auto const state = [&] {
        std::vector<storage::client_record> rows;
        std::vector<std::string> const name(1, "host:1");
        auto read = [&]() -> awaitable<void> { rows = co_await table.find(name); };
        f.stage.play(read());
        return rows.at(0).state;
    };
    f.a->clients.drains("host:1");
    CHECK_FALSE(f.a->clients.find("host:1")->gets_work());
    f.pass(1s);
    CHECK(state() == storage::client_state::draining);
    CHECK_FALSE(f.a->clients.find("host:1")->gets_work());
    CHECK(f.beat(*f.a)); // which says that it goes on
    f.pass(1s);
    CHECK(state() == storage::client_state::up);
    CHECK(f.a->clients.find("host:1")->gets_work());
}

TEST_CASE("a node that was told that nothing changes reads a change at once when it is told of one")
{
    two_nodes f;
    auto const quiet_since = f.stage.time.utc();
    f.pass(6s);
    f.note(*f.a, quiet_since, 3s);
    storage::clients table(*f.b->database);
    auto drain = [&]() -> awaitable<void> { co_await table.drain("host:1", "", ""); };
    f.stage.play(drain());
    f.a->clients.note(quiet_since, f.a->time.utc(), f.a->time.now());
    f.pass(100ms);
    CHECK_FALSE(f.a->clients.find("host:1")->drained);
    f.a->clients.look_again();
    f.pass(100ms);
    CHECK(f.a->clients.find("host:1")->drained);
}

TEST_CASE(
    "a client that answers no question counts as gone once it has been told, because until then it may begin work")
{
    two_nodes f;
    f.a->clients.bury("host:1", "it answers no question");
    f.pass(4s);
    CHECK(f.knows(*f.a));
    CHECK_FALSE(f.a->clients.is_gone("host:1"));
    CHECK_FALSE(f.beat(*f.a)); // the heartbeat is refused, and so is the registration after it
    f.pass(2s);
    CHECK(f.a->clients.is_gone("host:1"));
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a client that answers no question and sends no heartbeats either counts as gone after its ttl")
{
    two_nodes f;
    f.a->clients.bury("host:1", "it answers no question");
    f.pass(f.settings.ttl() + 2s);
    CHECK(f.a->clients.is_gone("host:1"));
}

} // namespace registry_test
