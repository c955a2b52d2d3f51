// The dispatcher after answers of clients, and without an answer.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace dispatcher_answers_test {

using namespace baton;
using namespace baton::trigger;
using protocol::ack;
using fake_calls = test::fake_client_calls;
using test::ids;
using fixture = test::dispatcher_stage;

TEST_CASE("a client that refuses a connection loses its work to another, and gets no more until it has proved itself")
{
    fixture f;
    f.add("a");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(false); };
    f.calls.unproved.insert("a");
    f.assign({1});
    f.pass(1ms);
    f.add("b");
    f.pass();
    CHECK(f.told() == fixture::words{"1 no_room"}); // b had not proved itself yet
    f.assign({1, 2});
    f.pass();
    CHECK(f.calls.to("b") == ids({1, 2}));
    CHECK(f.calls.to("a") == ids({1}));
}

TEST_CASE("work that may have reached a silent client is sent to that client again and to no other")
{
    fixture f;
    f.add("a");
    f.add("b");
    bool silent = true;
    f.calls.responders["a"] = [&](auto const& message) {
        return silent ? fake_calls::none(true) : fake_calls::all(message, ack::running);
    };
    f.assign({1, 2}); // one each
    f.pass();
    CHECK(f.calls.to("a").size() == 1);
    auto const bound = f.calls.to("a").front();
    silent = false;
    f.pass(1s);
    CHECK(f.calls.to("a") == std::vector{bound, bound});
    CHECK(f.calls.to("b").size() == 1);
    CHECK(f.told().size() == 2);
}

TEST_CASE("the master settles what a client may have when the client has failed for too long")
{
    fixture f;
    f.add("a");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
    f.assign({1});
    f.pass();
    f.calls.unproved.insert("a");
    f.pass(4s);
    CHECK(f.told().empty());
    f.pass(10s);
    CHECK(f.told() == fixture::words{"1 in_doubt"});
    CHECK(f.clients.all.contains("a")); // it lives, though it cannot be called
}

TEST_CASE("when a client is gone the master hears which work it may have had, and gets the rest back unharmed")
{
    fixture f;
    f.add("a");
    f.calls.unproved.insert("a");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
    f.assign({1});
    f.pass();
    SECTION("it has died")
    {
        f.die("a");
        f.pass();
        CHECK(f.told() == fixture::words{"1 client_gone"});
    }
    SECTION("it has another home")
    {
        f.move_away("a");
        f.pass();
        CHECK(f.told() == fixture::words{"1 in_doubt"});
    }
    CHECK(f.deliveries.load() == 0);
}

TEST_CASE("a client that leaves while a group is on its way decides by its answer whether work may go elsewhere")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.calls.takes = 50ms;
    f.assign({1, 2});
    f.pass(10ms);
    auto const bound = f.calls.to("a").front();
    f.calls.takes = 1ms;
    SECTION("no answer, and it is gone")
    {
        f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
        f.die("a");
        f.pass(1s);
        CHECK(f.hears(bound, "client_gone"));
    }
    SECTION("no answer, and it has moved")
    {
        f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
        f.move_away("a");
        f.pass(1s);
        CHECK(f.hears(bound, "in_doubt"));
    }
    SECTION("the connection was refused")
    {
        f.calls.responders["a"] = [](auto const&) { return fake_calls::none(false); };
        f.move_away("a");
        f.pass(1s);
        CHECK(f.calls.to("b").size() == 2);
    }
}

TEST_CASE("after a lapse of its membership a node keeps only what clients took, and repeats the rest to them alone")
{
    fixture f;
    f.add("a");
    f.calls.takes = 50ms;
    f.calls.responders["a"] = [](auto const& message) {
        auto out = fake_calls::all(message, ack::accepted);
        out.answer->executions.pop_back();
        return out;
    };
    f.assign({1, 2});
    f.pass(10ms);
    ++f.right.lapsed;
    f.pass(1s);
    CHECK(f.told() == fixture::words{"1 at a"});
    CHECK(f.deliveries.load() == 0);
    f.calls.responders.clear();
    f.add("b", 100);
    f.assign({2});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1, 2, 2}));
    CHECK(f.calls.to("b").empty());
}

TEST_CASE("an execution that a client refuses goes to another one")
{
    fixture f;
    f.add("a", 10);
    f.add("b", 1);
    auto const answer = GENERATE(ack::busy, ack::moved, ack::draining, ack::no_handler);
    CAPTURE(static_cast<int>(answer));
    f.calls.responders["a"] = [&](auto const& message) {
        auto out = fake_calls::all(message, answer);
        out.answer->free = 0;
        return out;
    };
    f.assign({1});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.calls.to("b") == ids({1}));
    CHECK(f.told() == fixture::words{"1 at b"});
    CHECK(f.clients.find("a")->stopping == (answer == ack::draining));
}

TEST_CASE("a client that runs an earlier attempt is reported with that attempt")
{
    fixture f;
    f.add("a");
    f.calls.responders["a"] = [](auto const& message) {
        auto out = fake_calls::all(message, ack::running);
        out.answer->executions.front().holds = 1;
        return out;
    };
    f.assign({1}, 3);
    f.pass();
    CHECK(f.told() == fixture::words{"1 at a as 1"});
}

TEST_CASE("executions that an answer leaves out are held back for their client, and the others count")
{
    fixture f;
    f.add("a");
    bool whole = false;
    f.calls.responders["a"] = [&](auto const& message) {
        auto out = fake_calls::all(message, ack::accepted);
        if (!whole)
            out.answer->executions.pop_back();
        return out;
    };
    f.assign({1, 2});
    f.pass();
    CHECK(f.told() == fixture::words{"1 at a"});
    CHECK(f.deliveries.load() == 1);
    CHECK_FALSE(f.lanes.find("a")->reachable());
    f.add("b"); // which gets nothing of it
    whole = true;
    f.pass(2s);
    CHECK(f.told() == fixture::words{"1 at a", "2 at a"});
    CHECK(f.lanes.find("a")->reachable());
}

TEST_CASE("a client that never acknowledges what it gets is sent no further work, and another of its service goes on")
{
    fixture f;
    f.add("a", 1);
    f.calls.responders["a"] = [](auto const& message) {
        auto out = fake_calls::all(message, ack::accepted);
        out.answer->executions.clear();
        return out;
    };
    f.assign({1});
    f.pass();
    f.add("b", 10);
    f.assign({2, 3});
    f.pass(2s);
    CHECK(f.told() == fixture::words{"2 at b", "3 at b"});
    CHECK(f.calls.to("b") == ids({2, 3}));
    auto const to_mute = f.calls.to("a");
    CHECK(std::ranges::count(to_mute, execution_id{1}) == std::ssize(to_mute)); // again and again, after each proof
}

TEST_CASE("a group whose size a client refuses is sent in halves, in order")
{
    fixture f;
    f.add("a");
    f.calls.responders["a"] = [](auto const& message) {
        return message.executions.size() > 2 ? fake_calls::none(false, true) : fake_calls::all(message, ack::accepted);
    };
    f.assign({1, 2, 3, 4});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1, 2, 3, 4, 1, 2, 3, 4}));
    CHECK(f.told().size() == 4);
}

TEST_CASE("a single execution that is too large for its client fails, and a small one waits for the client to recover")
{
    fixture f;
    f.add("a");
    bool refuses = true;
    f.calls.responders["a"] = [&](auto const& message) {
        return refuses ? fake_calls::none(false, true) : fake_calls::all(message, ack::accepted);
    };
    SECTION("large")
    {
        f.assign({1}, 1, '"' + std::string(20'000, 'x') + '"');
        f.pass(1s);
        CHECK(f.told() == fixture::words{"1 impossible", "1 no_room"}); // at this client, and back to the master
    }
    SECTION("small")
    {
        f.assign({1});
        f.pass();
        CHECK(f.told() == fixture::words{"1 no_room"});
        refuses = false;
        f.pass(1s);
        f.assign({1});
        f.pass(1s);
        CHECK(f.told() == fixture::words{"1 no_room", "1 at a"});
    }
}

TEST_CASE("an execution that one client refuses for its size goes to another of the same service")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(false, true); };
    f.assign({1, 2, 3, 4}, 1, '"' + std::string(20'000, 'x') + '"');
    f.pass(1s);
    CHECK(f.calls.to("b").size() == 4);
    for (int id = 1; id <= 4; ++id)
        CHECK(f.hears(execution_id{id}, "at b"));
}

TEST_CASE("an execution that the clients refuse for its size is tried at three of them, each once")
{
    fixture f;
    for (auto const* name : {"a", "b", "c", "d"}) {
        f.add(name);
        f.calls.responders[name] = [](auto const&) { return fake_calls::none(false, true); };
    }
    f.assign({1}, 1, '"' + std::string(20'000, 'x') + '"');
    f.pass(1s);
    CHECK(f.told() == fixture::words{"1 impossible"});
    CHECK(f.calls.sent.size() == 3);
    CHECK(f.heard.front().undelivered.size() <= 1);
    for (auto const& one : f.heard)
        for (auto const& each : one.undelivered)
            CHECK(each.why == "the client refuses a message of this size (status 413)");
}

TEST_CASE("an execution that two clients of a node refuse for its size goes back with the names of both")
{
    fixture f;
    for (auto const* name : {"a", "b"}) {
        f.add(name);
        f.calls.responders[name] = [](auto const&) { return fake_calls::none(false, true); };
    }
    f.assign({1}, 1, '"' + std::string(20'000, 'x') + '"');
    f.pass(1s);
    CHECK(f.told() == fixture::words{"1 impossible", "1 impossible", "1 no_room"});
    std::set<std::string> names;
    for (auto const& one : f.heard)
        for (auto const& each : one.undelivered)
            names.insert(each.client);
    CHECK(names == std::set<std::string>{"", "a", "b"});
}

TEST_CASE("beside a client that refuses every size or drops every connection another of its service goes on")
{
    fixture f;
    f.add("bad", 10, 10);
    f.add("good", 1'000);
    bool const sized = GENERATE(true, false);
    bool const arrives = GENERATE(true, false);
    auto const payload = '"' + std::string(GENERATE(2, 20'000), 'x') + '"';
    CAPTURE(sized, arrives, payload.size());
    f.calls.responders["bad"] = [=](auto const&) { return fake_calls::none(arrives && !sized, sized); };
    constexpr int all = 500;
    for (int id = 1; id <= all; ++id) {
        f.assign({id}, 1, payload);
        f.pass(10ms);
        CHECK(f.deliveries.load() <= 20); // the lane of the bad client
    }
    f.pass(1s);
    std::set<execution_id> begun;
    for (auto const id : f.calls.to("good"))
        begun.insert(id);
    if (arrives && !sized)
        CHECK(begun.size() >= all - 20);
    else
        CHECK(begun.size() == all);
    CHECK(f.calls.to("good").size() == begun.size());
}

TEST_CASE("work that a client could not take at once is found again after the client has registered anew")
{
    fixture f;
    f.add("a");
    f.calls.takes = 50ms;
    f.calls.responders["a"] = [](auto const& message) {
        return message.executions.size() > 1 ? fake_calls::none(false, true) : fake_calls::all(message, ack::accepted);
    };
    f.assign({1, 2});
    f.pass(10ms);
    auto const client = f.clients.all["a"];
    f.move_away("a");
    f.calls.unproved.insert("a");
    f.clients.all["a"] = client;
    f.deliveries.client_changed("a");
    f.pass(100ms);
    CHECK(f.deliveries.load() == 2);
    CHECK(f.deliveries.withdraw(ids({2})) == ids({2}));
    CHECK(f.deliveries.load() == 1);
}

TEST_CASE("a refusal of size is no failure of work that has gone elsewhere meanwhile")
{
    fixture f;
    f.add("a");
    f.calls.takes = 50ms;
    int requests = 0;
    f.calls.responders["a"] = [&](auto const& message) {
        return ++requests == 1 ? fake_calls::none(false, true) : fake_calls::all(message, ack::accepted);
    };
    f.assign({1}, 1, '"' + std::string(20'000, 'x') + '"');
    f.pass(10ms);
    SECTION("as a later attempt")
    {
        f.assign({1}, 2);
        f.pass(1s);
        CHECK(f.told() == fixture::words{"1 at a"});
        CHECK(f.lanes.find("a")->reachable());
    }
    SECTION("because the client has another home")
    {
        f.add("b");
        f.move_away("a");
        f.pass(1s);
        CHECK(f.told() == fixture::words{"1 at b"});
    }
    CHECK(f.deliveries.load() == 0);
}

} // namespace dispatcher_answers_test
