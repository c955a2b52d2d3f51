// The questions of a master to this node's clients, on a double of the calls to them.

#include "libs/sim/sim.hpp"
#include "trigger/delivery/client_questions.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

namespace client_questions_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fake_calls final : client_calls {
    explicit fake_calls(time_source& clock) : time(clock) {}

    awaitable<dispatch_outcome> dispatch(std::string, std::string) override { co_return dispatch_outcome{}; }
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, std::string text,
                                                         protocol::delivery_way way) override
    {
        asked[instance] = nlohmann::json::parse(text).get<protocol::query_request>();
        ways[instance] = way;
        ++questions;
        co_await time.sleep_for(takes.contains(instance) ? takes[instance] : 1ms);
        std::optional<protocol::query_answer> out;
        if (!mute.contains(instance)) {
            out.emplace();
            out->held.push_back({execution_id{1}, 2, false, false});
        }
        co_return out;
    }
    awaitable<probe_outcome> probe(std::string) override { co_return probe_outcome{}; }
    awaitable<recall_outcome> recall(std::string, std::string) override { co_return recall_outcome{}; }
    awaitable<void> cancel(std::string instance, protocol::executions_request request,
                           protocol::delivery_way way) override
    {
        ways[instance] = way;
        cancelled[instance] = std::move(request);
        co_await time.sleep_for(1h);
    }

    time_source& time;
    std::map<std::string, protocol::query_request> asked;
    std::map<std::string, protocol::delivery_way> ways; // of the last call
    int questions = 0;
    std::map<std::string, duration> takes;
    std::set<std::string> mute;
    std::map<std::string, protocol::executions_request> cancelled;
};

struct fixture {
    sim::stage stage{3};
    sim::host& host = stage.add_host("node");
    seeded_random random{1};
    trigger::lanes lanes{{}, random};
    fake_calls calls{host.time()};
    task_group background{stage.loop.get_executor()};
    std::vector<std::string> failed;
    std::vector<std::string> waits;
    std::vector<std::string> answered;
    client_questions questions{{lanes, calls, host.time(), background},
                               stage.loop.get_executor(),
                               {[this](std::string const& one, std::string const&) { failed.push_back(one); },
                                [this](std::string const& one) { waits.push_back(one); },
                                [this](std::string const& one) { answered.push_back(one); }}};

    fixture() { host.spawn(background.around(idle())); }
    ~fixture() { stage.end(); }

    awaitable<void> idle()
    {
        for (;;)
            co_await host.time().sleep_for(1h);
    }
    client_lane& add(std::string const& instance, bool proved = true)
    {
        auto& lane = lanes.put({instance, {"default", "s"}, {"h"}, 1, 0, false, "http://" + instance, 1});
        if (proved)
            lane.proved_at_address();
        return lane;
    }
    void add_failing(std::string const& instance) { add(instance).failed(host.time().now()); }
    // The names of the clients that answered, and how long it took.
    std::set<std::string> ask(std::vector<std::string> instances, int attempt = 2)
    {
        protocol::ask_request request;
        request.term = {1, 5};
        request.instances = std::move(instances);
        request.executions = {execution_id{1}};
        request.attempts = {attempt};
        std::set<std::string> names;
        auto const began = stage.time.now();
        auto scene = [&]() -> awaitable<void> {
            auto const got = co_await questions.ask(std::move(request));
            for (auto const& one : got.answered)
                names.insert(one.instance);
        };
        stage.play(scene());
        took = stage.time.now() - began;
        return names;
    }
    duration took{};
    using words = std::vector<std::string>;
};

} // namespace

TEST_CASE("all clients are asked at the same time, and the answer comes with the last of them")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.calls.takes["a"] = f.calls.takes["b"] = 300ms;
    CHECK(f.ask({"a", "b"}) == std::set<std::string>{"a", "b"});
    CHECK(f.took == 300ms);
    CHECK(f.answered.size() == 2);
    CHECK(f.calls.asked["a"].executions == std::vector{execution_id{1}});
    CHECK(f.calls.asked["a"].attempts == std::vector{2});
    CHECK(f.calls.asked["a"].term == protocol::term_id{1, 5});
}

TEST_CASE("what a client says that it has takes its slots")
{
    fixture f;
    f.add("a");
    f.ask({"a"});
    CHECK(f.lanes.find("a")->holds({execution_id{1}, 2}));
    CHECK_FALSE(f.lanes.find("a")->has_free_slot(f.host.time().now()));
}

TEST_CASE("a slow client delays the answers of the others by a second at most, and its own answer does not count")
{
    fixture f;
    f.add("a");
    f.add("slow");
    f.calls.takes["slow"] = 4s;
    CHECK(f.ask({"a", "slow"}) == std::set<std::string>{"a"});
    CHECK(f.took == 1s);
    f.stage.time.run_for(10s); // its late answer has no waiting caller
    CHECK(f.answered == fixture::words{"a", "slow"});
}

TEST_CASE("a client that refuses a question is told of as failed, and delays nothing")
{
    fixture f;
    f.add("a");
    f.add("mute");
    f.calls.mute.insert("mute");
    CHECK(f.ask({"a", "mute"}) == std::set<std::string>{"a"});
    CHECK(f.took < 100ms);
    CHECK(f.failed == fixture::words{"mute"});
}

TEST_CASE("a client is not asked before its first probe has ended, because a question carries its secret")
{
    fixture f;
    f.add("a", false);
    CHECK(f.ask({"a"}).empty());
    CHECK(f.calls.asked.empty());
    CHECK(f.waits == fixture::words{"a"});
    CHECK(f.took < 100ms);
}

TEST_CASE("a client that cannot be called is told to fetch its question")
{
    fixture f;
    f.add_failing("a");
    f.add("b");
    f.calls.takes["a"] = 300ms;
    CHECK(f.ask({"a", "b"}) == std::set<std::string>{"a", "b"});
    CHECK(f.calls.ways["a"] == protocol::delivery_way::fetch);
    CHECK(f.calls.ways["b"] == protocol::delivery_way::push);
    CHECK(f.waits == fixture::words{"a"});
    CHECK(f.answered == fixture::words{"b", "a"});
}

TEST_CASE("an answer that a client fetched too late for its round counts in the next one")
{
    fixture f;
    f.add_failing("a");
    f.calls.takes["a"] = 5s; // until its next heartbeat
    CHECK(f.ask({"a"}).empty());
    CHECK(f.took == 1s);
    CHECK(f.ask({"a"}).empty());
    f.stage.time.run_for(4s);
    CHECK(f.ask({"a"}) == std::set<std::string>{"a"});
    CHECK(f.took < 100ms);
    CHECK(f.calls.questions == 1);
}

TEST_CASE("an answer to a question is forgotten when the master does not repeat the question")
{
    fixture f;
    f.add_failing("a");
    f.calls.takes["a"] = 5s;
    CHECK(f.ask({"a"}).empty());
    f.stage.time.run_for(20s);
    CHECK(f.ask({"a"}).empty());
    CHECK(f.calls.questions == 2);
}

TEST_CASE("a client that fetches nothing has four questions at most")
{
    fixture f;
    f.add_failing("a");
    f.calls.takes["a"] = 1h;
    for (int attempt = 1; attempt <= 6; ++attempt)
        CHECK(f.ask({"a"}, attempt).empty());
    CHECK(f.calls.questions == 4);
    CHECK(f.waits.size() == 6);
}

TEST_CASE("the clients of other nodes are left out")
{
    fixture f;
    f.add("a");
    CHECK(f.ask({"a", "elsewhere"}) == std::set<std::string>{"a"});
    CHECK(f.failed.empty());
    CHECK(f.waits.empty());
}

TEST_CASE("a cancel does not wait for its client, and is fetched by one that cannot be called")
{
    fixture f;
    f.add("a");
    f.add("new", false);
    f.add_failing("failing");
    for (auto const* instance : {"a", "new", "failing", "elsewhere"}) {
        protocol::cancel_at_request request;
        request.term = {1, 5};
        request.instance = instance;
        request.executions = {execution_id{7}};
        f.questions.cancel(std::move(request));
    }
    f.stage.time.run_for(1s);
    REQUIRE(f.calls.cancelled.size() == 2);
    CHECK(f.calls.ways["a"] == protocol::delivery_way::push);
    CHECK(f.calls.ways["failing"] == protocol::delivery_way::fetch);
    CHECK(f.calls.cancelled["a"].executions == std::vector{execution_id{7}});
    CHECK(f.calls.cancelled["a"].term == protocol::term_id{1, 5});
}

} // namespace client_questions_test
