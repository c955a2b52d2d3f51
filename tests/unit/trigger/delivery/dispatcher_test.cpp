// The dispatcher between a master's assignments, a node's clients and the reports, on doubles of its four seams.

#include "libs/sim/sim.hpp"
#include "trigger/delivery/dispatcher.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dispatcher_test {

using namespace baton;
using namespace baton::trigger;
using protocol::ack;
using protocol::return_cause;

namespace {

struct fake_right final : delivery_right {
    std::string name = "node-1";
    protocol::term_id present{1, 5};
    bool is_valid = true;
    std::uint64_t lapsed = 0;
    bool leads = true;

    std::string const& self() const override { return name; }
    protocol::term_id term() const override { return present; }
    bool valid() const override { return is_valid; }
    std::uint64_t lapses() const override { return lapsed; }
    bool term_lets_deliver() const override { return leads; }
};

struct fake_clients final : home_clients {
    std::map<std::string, known_client> all;
    std::set<std::string> gone;
    std::vector<std::string> buried;

    known_client* find(std::string const& instance) override
    {
        auto const found = all.find(instance);
        return found == all.end() ? nullptr : &found->second;
    }
    bool is_gone(std::string const& instance) const override { return gone.contains(instance); }
    void bury(std::string const& instance, std::string const&) override { buried.push_back(instance); }
};

// Clients take everything after a millisecond, unless the test says otherwise.
struct fake_calls final : client_calls {
    explicit fake_calls(time_source& clock) : time(clock) {}

    using responder = std::function<dispatch_outcome(protocol::dispatch_request const&)>;
    struct request {
        std::string instance;
        std::vector<execution_id> executions;
        std::int64_t number = 0;
        bool operator==(request const&) const = default;
    };

    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text) override
    {
        auto const message = nlohmann::json::parse(text).get<protocol::dispatch_request>();
        std::vector<execution_id> ids;
        for (auto const& one : message.executions)
            ids.push_back(one.execution);
        sent.push_back({instance, ids, message.number});
        co_await time.sleep_for(takes);
        auto const how = responders.find(instance);
        co_return how == responders.end() ? all(message, ack::accepted) : how->second(message);
    }
    awaitable<std::optional<protocol::query_answer>> ask(std::string, protocol::query_request) override
    {
        co_return std::nullopt;
    }
    awaitable<probe_outcome> probe(std::string instance) override
    {
        co_await time.sleep_for(1ms);
        probe_outcome out{"http://" + instance, std::nullopt};
        if (unproved.contains(instance))
            out.wrong = "timed out";
        co_return out;
    }
    awaitable<void> cancel(std::string, protocol::executions_request) override { co_return; }

    static dispatch_outcome all(protocol::dispatch_request const& message, ack answer)
    {
        dispatch_outcome out;
        out.answer.emplace();
        out.answer->free = 100;
        for (auto const& one : message.executions)
            out.answer->executions.push_back({one.execution, one.attempt, answer, one.attempt});
        return out;
    }
    static dispatch_outcome none(bool maybe_there, bool too_large = false)
    {
        dispatch_outcome out;
        out.maybe_there = maybe_there;
        out.too_large = too_large;
        out.why = "no answer";
        return out;
    }

    std::vector<execution_id> to(std::string const& instance) const
    {
        std::vector<execution_id> ids;
        for (auto const& one : sent)
            if (one.instance == instance)
                ids.insert(ids.end(), one.executions.begin(), one.executions.end());
        return ids;
    }

    time_source& time;
    duration takes = 1ms;
    std::map<std::string, responder> responders;
    std::set<std::string> unproved;
    std::vector<request> sent;
};

struct fake_reach final : reach_record {
    void found(lane_client const& who, protocol::reach state, std::string const&) override
    {
        states[who.instance] = state;
    }
    void forget(std::string const& instance) override { states.erase(instance); }
    std::map<std::string, protocol::reach> states;
};

std::vector<execution_id> ids(std::vector<int> const& numbers)
{
    std::vector<execution_id> out;
    for (auto const number : numbers)
        out.emplace_back(number);
    return out;
}

struct fixture {
    sim::stage stage{7};
    sim::host& host = stage.add_host("node");
    seeded_random random{1};
    fake_right right;
    fake_clients clients;
    fake_calls calls{host.time()};
    fake_reach reach;
    trigger::lanes lanes{{}, random};
    known_attempts known;
    std::vector<protocol::report_request> heard; // by the master
    std::int64_t assigned = 1'000;               // from this number on, no assignment repeats what was told
    reporter report{"node-1",
                    {[this](protocol::report_request const& one) { return hear(one); }, known, lanes, host.time()},
                    stage.loop.get_executor()};
    stamps given{"secret"};
    election_trace trace{"", "node", "node-1"};
    dispatcher deliveries;

    explicit fixture(dispatcher_settings settings = {})
        : deliveries(settings, 15s, {clients, calls, right, reach, lanes, known, report, given, trace, host.time()},
                     stage.loop.get_executor())
    {
        report.new_term(right.present);
        host.spawn(report.run());
        host.spawn(deliveries.run());
    }
    ~fixture() { stage.end(); }

    void pass(duration span = 20ms) { stage.time.run_for(span); }

    awaitable<std::optional<protocol::report_answer>> hear(protocol::report_request one)
    {
        co_await host.time().sleep_for(1ms);
        heard.push_back(std::move(one));
        co_return protocol::report_answer{assigned};
    }

    // A client that has proved itself.
    void add(std::string const& instance, int slots = 10, int queue = 0)
    {
        known_client client;
        client.row.instance = instance;
        client.row.project = "default";
        client.row.service = "s";
        client.row.address = "http://" + instance;
        client.row.slots = slots;
        client.row.queue = queue;
        client.row.generation = 1;
        client.handlers = {"h"};
        clients.all[instance] = std::move(client);
        deliveries.client_changed(instance);
        pass();
    }
    void move_away(std::string const& instance)
    {
        clients.all.erase(instance);
        deliveries.client_changed(instance);
    }
    void die(std::string const& instance)
    {
        clients.all.erase(instance);
        clients.gone.insert(instance);
        deliveries.client_gone(instance);
    }

    std::size_t assign(std::vector<int> const& numbers, int attempt = 1, std::string const& payload = "{}")
    {
        protocol::assign_request message;
        message.term = right.present;
        message.master = "node-2";
        message.number = ++last_number;
        for (auto const number : numbers) {
            protocol::assignment one;
            one.work.execution = execution_id{number};
            one.work.attempt = attempt;
            one.work.handler = "h";
            one.work.payload = protocol::json_text::check(payload, "payload");
            one.service = "s";
            message.executions.push_back(std::move(one));
        }
        return deliveries.accept(std::move(message));
    }
    std::int64_t last_number = 0;

    // The reports until now, in order: "1 at a" for a delivery and "2 no_room" for work that came back.
    std::vector<std::string> told() const
    {
        std::vector<std::string> out;
        for (auto const& one : heard) {
            for (auto const& got : one.delivered)
                out.push_back(std::to_string(got.execution.value()) + " at " + got.client +
                              (got.holds == 0 ? "" : " as " + std::to_string(got.holds)));
            for (auto const& got : one.undelivered)
                out.push_back(std::to_string(got.execution.value()) + " " +
                              std::string(protocol::names_of<return_cause>[static_cast<std::size_t>(got.cause)]));
        }
        return out;
    }
    using words = std::vector<std::string>;
    bool hears(execution_id id, std::string const& what) const
    {
        auto const all = told();
        return std::count(all.begin(), all.end(), std::to_string(id.value()) + " " + what) == 1;
    }
};

} // namespace

TEST_CASE("an assignment reaches a client in one request, and the master hears who has it")
{
    fixture f;
    f.add("a");
    CHECK(f.assign({1, 2, 3}) == 3);
    CHECK(f.deliveries.load() == 3);
    f.pass();
    REQUIRE(f.calls.sent.size() == 1);
    CHECK(f.calls.to("a") == ids({1, 2, 3}));
    CHECK(f.told() == fixture::words{"1 at a", "2 at a", "3 at a"});
    CHECK(f.deliveries.load() == 0);
}

TEST_CASE("work for which no client has room goes back at once, under the number of its latest assignment")
{
    fixture f;
    f.add("a", 1);
    f.assign({1, 2});
    f.pass();
    CHECK(f.told() == fixture::words{"2 no_room", "1 at a"});
    std::vector<std::int64_t> numbers;
    for (auto const& one : f.heard)
        for (auto const& back : one.undelivered)
            numbers.push_back(back.number);
    CHECK(numbers == std::vector<std::int64_t>{1});
    CHECK(f.deliveries.load() == 0);
}

TEST_CASE("a node that carries as much as it may takes only the first of an assignment")
{
    dispatcher_settings settings;
    settings.queue_limit = 2;
    fixture f(settings);
    f.add("a");
    CHECK(f.assign({1, 2, 3}) == 2);
    f.pass();
    CHECK(f.calls.to("a") == ids({1, 2}));
}

TEST_CASE("a repeated assignment of what a client has is answered, and not delivered again")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.pass();
    f.assign({1});
    f.pass();
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.told() == fixture::words{"1 at a", "1 at a"});
}

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

TEST_CASE("work that waits for a client which leaves goes back as never sent")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.move_away("a"); // before the dispatcher's next step
    f.pass();
    CHECK(f.calls.sent.empty());
    CHECK(f.told() == fixture::words{"1 no_room"});
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

TEST_CASE("a master takes back what waits, from whichever clients it waits for, and nothing that was sent")
{
    fixture f;
    for (auto const* name : {"a", "b", "c"})
        f.add(name);
    f.assign({1, 2, 3});
    f.pass(500us); // on its way to each
    f.assign({4, 5, 6, 7, 8, 9});
    auto withdrawn = f.deliveries.withdraw(ids({1, 4, 6, 8, 99}));
    std::sort(withdrawn.begin(), withdrawn.end());
    CHECK(withdrawn == ids({4, 6, 8}));
    CHECK(f.deliveries.load() == 6);
    f.pass();
    auto told = f.told();
    CHECK(told.size() == 6);
    CHECK(std::none_of(told.begin(), told.end(), [](auto const& word) { return word.front() == '4'; }));
    CHECK(f.assign({4}) == 1); // forgotten: it may come again
    f.pass();
    CHECK(f.told().size() == 7);
}

TEST_CASE("what may have reached a client cannot be taken back")
{
    fixture f;
    f.add("a");
    f.calls.unproved.insert("a");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
    f.assign({1});
    f.pass();
    CHECK(f.deliveries.withdraw(ids({1})).empty());
    CHECK(f.deliveries.load() == 1);
}

TEST_CASE("a later attempt takes the place of an earlier one that waits")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.assign({1, 2, 3, 4}, 1);
    f.assign({1, 2}, 2);
    CHECK(f.deliveries.load() == 4);
    f.pass();
    CHECK(f.told().size() == 4);
    CHECK(f.calls.to("a").size() + f.calls.to("b").size() == 4);
}

TEST_CASE("the answer to a group that was sent under an older epoch means nothing")
{
    fixture f;
    f.add("a");
    f.calls.takes = 50ms;
    f.assign({1});
    f.pass(10ms);
    f.assign({2}); // waits for the first request
    f.right.present.epoch = 6;
    f.deliveries.new_epoch();
    f.pass(1s);
    CHECK(f.told().empty());
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.deliveries.load() == 0);
    f.last_number = 0;
    f.assign({2});
    f.pass(1s);
    CHECK(f.told() == fixture::words{"2 at a"});
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

TEST_CASE("a node that may count as gone takes no assignment, and drops what it has not sent")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.right.is_valid = false;
    f.pass();
    CHECK(f.calls.sent.empty());
    CHECK(f.deliveries.load() == 0);
    CHECK(f.assign({2}) == 0);
}

TEST_CASE("a node sends nothing for its own master while that may not act")
{
    fixture f;
    f.add("a");
    f.right.leads = false;
    f.assign({1});
    f.pass(1s);
    CHECK(f.calls.sent.empty());
    f.right.leads = true;
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1}));
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
    CHECK((f.clients.find("a")->row.state == storage::client_state::draining) == (answer == ack::draining));
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
    whole = true;
    f.pass(2s);
    CHECK(f.told() == fixture::words{"1 at a", "2 at a"});
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
        CHECK(f.told() == fixture::words{"1 impossible"});
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

} // namespace dispatcher_test
