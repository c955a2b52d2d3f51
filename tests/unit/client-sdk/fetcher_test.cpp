#include "client-sdk/src/runtime.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>

#include <deque>

namespace fetcher_test {

using namespace baton;
using namespace baton::client;

namespace {

// A node that holds fetches, and whose envelopes the test writes.
struct scripted_home {
    scripted_home(sim::stage& in, std::string name)
        : stage(in), host(in.add_host(name)), url("http://" + name + ":7800")
    {
        stage.net.attach(host, http::parse_url(url), [this](http::request const& message) { return answer(message); });
    }

    awaitable<http::response> answer(http::request const& message)
    {
        if (message.target == protocol::path_fetch)
            co_return co_await hold(http::parse_as<protocol::fetch_request>(message.body));
        if (message.target == protocol::path_register)
            registrations.push_back(nlohmann::json::parse(message.body));
        if (message.target == protocol::path_heartbeat && forgets)
            co_return http::problem(404, "Not Found", "unknown");
        if (message.target == protocol::path_watch)
            co_return co_await watch();
        if (message.target == protocol::path_results)
            co_return http::json_response(200, protocol::results_answer{});
        protocol::heartbeat_answer heard;
        heard.terms = {{1, 1}};
        heard.ttl_ms = 15'000;
        heard.heartbeat_ms = 2'000;
        heard.fetch = tells_to_fetch && !envelopes.empty();
        heard.ticket = "the-ticket-of-" + host.name();
        co_return http::json_response(200, heard);
    }

    awaitable<http::response> watch()
    {
        auto const until = host.time().now() + protocol::watch_hold;
        while (moves_to.empty() && !wakes && host.time().now() < until)
            co_await host.time().sleep_for(1ms);
        protocol::watch_answer said;
        said.fetch = std::exchange(wakes, false);
        said.move = !moves_to.empty();
        said.to = moves_to;
        co_return http::json_response(200, said);
    }

    awaitable<http::response> hold(protocol::fetch_request request)
    {
        polls.push_back(request);
        auto const until = host.time().now() + (holds ? protocol::fetch_hold : 0s);
        while (envelopes.empty() && host.time().now() < until)
            co_await host.time().sleep_for(1ms);
        protocol::fetch_answer said;
        if (!envelopes.empty()) {
            said = envelopes.front();
            envelopes.pop_front();
        }
        auto const status = std::exchange(next_status, 200);
        co_return status == 200 ? http::text_response(200, to_text(said)) : http::problem(status, "No", "no");
    }

    // Gives the next request an envelope with a dispatch of this execution.
    void give(std::int64_t number, std::int64_t execution)
    {
        protocol::dispatch one;
        one.execution = execution_id{execution};
        one.handler = "work";
        protocol::dispatch_request request;
        request.term.epoch = 1;
        request.executions.push_back(one);
        protocol::fetched_call call;
        call.call = number * 10;
        call.path = protocol::path_dispatch;
        call.body.text = to_text(request);
        envelopes.push_back({host.name(), number, {call}});
    }

    sim::stage& stage;
    sim::host& host;
    std::string url;
    std::vector<protocol::register_request> registrations;
    std::vector<protocol::fetch_request> polls;
    std::deque<protocol::fetch_answer> envelopes;
    int next_status = 200;
    std::string moves_to;
    bool forgets = false;
    bool holds = true;           // requests
    bool tells_to_fetch = false; // by heartbeats
    bool wakes = false;          // the watch tells to fetch, once
};

struct fixture : executor {
    sim::stage stage{9};
    scripted_home first{stage, "a"};
    scripted_home second{stage, "b"};
    sim::host& host = stage.add_host("c");
    std::unique_ptr<http::client> http = stage.net.client_for(host);
    std::unique_ptr<runtime> client;
    std::vector<std::int64_t> started;

    explicit fixture(int homes = 1, bool has_address = false)
    {
        std::vector<std::string> nodes{first.url};
        if (homes > 1)
            nodes.push_back(second.url);
        runtime_settings settings;
        settings.handlers = {"work"};
        settings.limits.slots = 10;
        for (auto const& node : nodes)
            settings.link.nodes.push_back(http::parse_url(node));
        settings.link.identity.service = "shop";
        settings.link.identity.instance = "c#1";
        settings.link.identity.secret = "the-secret-of-c#1";
        if (has_address)
            settings.link.identity.address = "http://c:1";
        else
            settings.link.identity.delivery = protocol::delivery_way::fetch;
        first.holds = !has_address;
        client = std::make_unique<runtime>(stage.loop.get_executor(),
                                           runtime_parts{host.time(), host.random(), *http, *this}, settings);
        host.spawn(client->run());
    }
    ~fixture() { stage.end(); }

    void start(std::shared_ptr<job> work, std::function<void(outcome)>) override
    {
        started.push_back(work->work.execution.value());
    }

    void pass(duration span) { stage.time.run_for(span); }
    template <class Condition>
    bool until(Condition holds)
    {
        return stage.time.run_until(holds, 60s);
    }
    static std::int64_t answered(protocol::fetch_request const& request)
    {
        return request.answers.empty() ? 0 : request.number;
    }
};

} // namespace

TEST_CASE("a client that fetches registers without an address, and answers the calls with its next request")
{
    fixture f;
    REQUIRE(f.until([&] { return f.first.polls.size() == 1; }));
    CHECK(f.first.registrations.at(0).delivery == protocol::delivery_way::fetch);
    CHECK(f.first.registrations.at(0).address.empty());
    CHECK(f.first.polls[0].instance == "c#1");
    CHECK(f.first.polls[0].secret == "the-secret-of-c#1");
    CHECK(f.first.polls[0].generation == f.first.registrations[0].generation);
    CHECK(f.first.polls[0].ticket == "the-ticket-of-a");
    CHECK(f.first.polls[0].answers.empty());

    f.first.give(1, 71);
    REQUIRE(f.until([&] { return f.first.polls.size() == 2; }));
    CHECK(f.started == std::vector<std::int64_t>{71});
    auto const& said = f.first.polls[1];
    CHECK(said.poll > f.first.polls[0].poll);
    CHECK(said.node == "a");
    CHECK(said.number == 1);
    REQUIRE(said.answers.size() == 1);
    CHECK(said.answers[0].call == 10);
    CHECK(said.answers[0].status == 200);
    auto const answer = nlohmann::json::parse(said.answers[0].body.text).get<protocol::dispatch_answer>();
    CHECK(answer.executions.at(0).answer == protocol::ack::accepted);
}

TEST_CASE("a client with an address fetches when it is told to, by its heartbeat or its watch, until no call is left")
{
    bool const by_watch = GENERATE(false, true);
    fixture f(1, true);
    f.pass(10s);
    CHECK(f.first.polls.empty());
    f.first.give(1, 71);
    f.first.give(2, 72);
    f.first.tells_to_fetch = !by_watch;
    f.first.wakes = by_watch;
    f.pass(by_watch ? 100ms : 2s + 100ms);
    CHECK(f.started == std::vector<std::int64_t>{71, 72});
    REQUIRE(f.first.polls.size() == 3);
    CHECK(fixture::answered(f.first.polls[2]) == 2);
    f.pass(30s);
    CHECK(f.first.polls.size() == 3);
}

TEST_CASE("a client with an address repeats its answers when it is told to fetch again")
{
    fixture f(1, true);
    f.first.tells_to_fetch = true;
    f.first.give(1, 71);
    REQUIRE(f.until([&] { return f.first.polls.size() == 1; }));
    f.first.next_status = 503; // its answers are lost
    REQUIRE(f.until([&] { return f.first.polls.size() == 2; }));
    f.first.give(1, 71);
    REQUIRE(f.until([&] { return f.first.polls.size() == 4; }));
    CHECK(fixture::answered(f.first.polls[2]) == 1);
    CHECK(fixture::answered(f.first.polls[3]) == 1);
    CHECK(f.started == std::vector<std::int64_t>{71});
}

TEST_CASE("answers are repeated until a request that carried them is answered")
{
    fixture f;
    f.first.give(1, 71);
    REQUIRE(f.until([&] { return f.first.polls.size() == 2; }));
    f.first.next_status = 503;
    f.first.give(2, 72); // lost: the answer is a refusal
    REQUIRE(f.until([&] { return f.first.polls.size() == 3; }));
    CHECK(fixture::answered(f.first.polls[1]) == 1);
    CHECK(fixture::answered(f.first.polls[2]) == 1);
    CHECK(to_text(f.first.polls[2]).find(f.first.polls[1].answers[0].body.text) != std::string::npos);
    f.first.give(2, 72);
    REQUIRE(f.until([&] { return f.first.polls.size() == 4; }));
    CHECK(fixture::answered(f.first.polls[3]) == 2);
    f.pass(30s); // its hold ends
    CHECK(fixture::answered(f.first.polls.back()) == 0);
    CHECK(f.started == std::vector<std::int64_t>{71, 72});
}

TEST_CASE("a repeated envelope gets the same answers, and its calls count once")
{
    fixture f;
    f.first.give(4, 71);
    f.first.give(4, 71);
    REQUIRE(f.until([&] { return f.first.polls.size() == 3; }));
    CHECK(nlohmann::json(f.first.polls[2].answers) == nlohmann::json(f.first.polls[1].answers));
    f.first.give(3, 72); // overtaken
    f.first.give(5, 73);
    REQUIRE(f.until([&] { return f.first.polls.size() == 5; }));
    CHECK(f.started == std::vector<std::int64_t>{71, 73});
}

TEST_CASE("a client that moves fetches from its new home at once, and ignores the old home's late answer")
{
    fixture f(2);
    REQUIRE(f.until([&] { return f.first.polls.size() + f.second.polls.size() == 1; }));
    auto& before = f.first.polls.empty() ? f.second : f.first;
    auto& after = f.first.polls.empty() ? f.first : f.second;
    auto const begin = f.stage.time.now();
    before.moves_to = after.url;
    REQUIRE(f.until([&] { return after.polls.size() == 1; }));
    CHECK(f.stage.time.now() - begin < 100ms);
    before.give(1, 71);
    f.pass(1s);
    CHECK(f.started.empty());
    CHECK(before.polls.size() == 1);
    after.give(1, 72);
    REQUIRE(f.until([&] { return after.polls.size() == 2; }));
    CHECK(f.started == std::vector<std::int64_t>{72});
}

TEST_CASE("a home that does not know the client any more is told by a heartbeat, which registers again")
{
    fixture f;
    REQUIRE(f.until([&] { return f.first.polls.size() == 1; }));
    f.first.forgets = true;
    f.first.next_status = 404;
    f.first.give(1, 71);
    REQUIRE(f.until([&] { return f.first.registrations.size() == 2; }));
    f.first.forgets = false;
    f.first.give(1, 72);
    REQUIRE(f.until([&] { return f.started.size() == 1; }));
}

TEST_CASE("an empty answer at once does not make the client ask in a loop")
{
    fixture f;
    for (int i = 0; i < 1'000; ++i)
        f.first.envelopes.push_back({"a", 0, {}});
    f.pass(10s);
    CHECK(f.first.polls.size() < 40);
    CHECK(f.first.polls.size() > 5);
}

} // namespace fetcher_test
