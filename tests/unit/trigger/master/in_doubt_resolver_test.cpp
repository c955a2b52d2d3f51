// Which client has an execution in doubt: the questions, on doubles of the calls to nodes.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/in_doubt_resolver.hpp"

#include <catch2/catch.hpp>

namespace in_doubt_resolver_test {

using namespace baton;
using namespace baton::trigger;
using protocol::attempt_cause;
using test::ids;

namespace {

protocol::held_execution held(int id, int attempt = 1)
{
    return {execution_id{id}, attempt, false, false};
}

struct fixture : test::node_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    trigger::credits credits;
    std::map<std::string, int> told; // by node: what the announcement brought
    std::optional<in_doubt_resolver> resolver;

    explicit fixture(int others = 2) : node_stage(others) { add_task(1); }
    ~fixture() { stage.end(); }

    void begin()
    {
        resolver.emplace(scope(), in_doubt_resolver::dependencies{view(), calls, next, credits});
        resolver->on_capacity([this](std::string const& node, protocol::capacity_message const&) { ++told[node]; });
        host.spawn(next.run());
        host.spawn(clients->run());
        host.spawn(resolver->run());
        pass(50ms);
    }
    void add_doubts(std::vector<int> const& numbers, int task = 1)
    {
        for (auto const id : numbers)
            add_execution(id, task);
        load();
        for (auto const id : numbers)
            resolver->add(one(id), attempt_cause::node_gone);
    }
    // The client answers at this node, with what it has.
    void answers(std::string const& node, std::string const& instance,
                 std::vector<protocol::held_execution> const& has = {})
    {
        auto& all = at[node];
        all[instance] = has;
        calls.questions[node] = [this, node](protocol::ask_request const& request) {
            protocol::ask_answer out;
            for (auto const& [client, has_it] : at[node])
                if (std::find(request.instances.begin(), request.instances.end(), client) != request.instances.end())
                    out.answered.push_back({client, has_it});
            return out;
        };
    }
    std::map<std::string, std::map<std::string, std::vector<protocol::held_execution>>> at;

    int attempt(int id)
    {
        return static_cast<int>(number("SELECT attempt FROM execution WHERE id = " + std::to_string(id)));
    }
};

} // namespace

TEST_CASE("an execution that a client has stays with it, and one that no client has goes out as the next attempt")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "n2");
    f.answers("n1", "a", {held(1)});
    f.answers("n2", "b");
    f.begin();
    f.add_doubts({1, 2});
    f.pass(1s);
    CHECK(f.one(1).phase == phase::held);
    CHECK(f.one(1).where == "a");
    CHECK(f.attempt(1) == 1);
    CHECK(f.attempt(2) == 2);
    CHECK(f.one(2).phase == phase::waiting);
    for (auto const& [node, request] : f.calls.asked) {
        CHECK(request.executions == ids({1, 2}));
        CHECK(request.attempts == std::vector<int>{1, 1});
        CHECK(request.term == f.of.id());
    }
}

TEST_CASE("an execution that failed at its client without a result is lost after two minutes, and a success is not")
{
    fixture f;
    f.add_client("a", "n1");
    auto ended = held(1);
    ended.finished = true;
    ended.succeeded = GENERATE(false, true);
    f.answers("n1", "a", {ended});
    f.begin();
    f.add_doubts({1});
    f.pass(100s);
    REQUIRE(f.one(1).phase == phase::held);
    f.resolver->add(f.one(1), attempt_cause::client_gone);
    f.pass(15s);
    REQUIRE(f.one(1).phase == phase::held);
    f.resolver->add(f.one(1), attempt_cause::client_gone);
    f.pass(1s);
    CHECK(f.attempt(1) == (ended.succeeded ? 1 : 2)); // after a success no further attempt is wanted
    CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == (ended.succeeded ? 0 : 1));
}

TEST_CASE("no next attempt goes out while one client has not answered")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "n2");
    f.answers("n1", "a");
    f.begin();
    f.add_doubts({1, 2});
    f.pass(10s); // n2 does not answer
    CHECK(f.one(1).phase == phase::in_doubt);
    CHECK(f.attempt(1) == 1);
    SECTION("until it answers")
    {
        f.answers("n2", "b", {held(1)});
        f.pass(3s);
        CHECK(f.one(1).where == "b");
        CHECK(f.attempt(2) == 2);
    }
    SECTION("or is gone")
    {
        f.bury_client("b");
        f.pass(1s);
        CHECK(f.attempt(1) == 2);
        CHECK(f.attempt(2) == 2);
    }
}

TEST_CASE("an execution that a client says it has is settled although another client does not answer")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "n2");
    f.answers("n1", "a", {held(1)});
    f.begin();
    f.add_doubts({1, 2});
    f.pass(1s);
    CHECK(f.one(1).phase == phase::held);
    CHECK(f.one(2).phase == phase::in_doubt);
}

TEST_CASE("a client that moves between two questions is asked at its new home, and must answer")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "n2");
    f.answers("n2", "b"); // n1 does not have a any more
    f.begin();
    f.add_doubts({1});
    f.pass(1s);
    CHECK(f.one(1).phase == phase::in_doubt);
    f.answers("n2", "a", {held(1)});
    f.add_client("a", "n2", 2);
    f.pass(1s);
    CHECK(f.one(1).phase == phase::held);
    CHECK(f.one(1).where == "a");
    CHECK(f.attempt(1) == 1);
}

TEST_CASE("a client that has answered is not asked again because another one is silent")
{
    fixture f;
    f.add_client("a", "n1");
    f.add_client("b", "n2");
    f.answers("n1", "a");
    f.begin();
    f.add_doubts({1});
    f.pass(5s);
    auto const asked =
        std::count_if(f.calls.asked.begin(), f.calls.asked.end(), [](auto const& one) { return one.first == "n1"; });
    CHECK(asked == 1);
    CHECK(f.calls.asked.size() > 3);  // n2, again and again
    CHECK(f.calls.asked.size() < 10); // with pauses that grow
}

TEST_CASE("a service whose clients are mute makes no other service wait")
{
    fixture f;
    f.add_task(2, {{"service", "t"}});
    f.add_client("a", "n1");
    f.add_client("b", "n2", 1, "t");
    f.answers("n2", "b");
    f.begin();
    f.add_doubts({1}, 1);
    f.add_doubts({2}, 2);
    f.pass(1s);
    CHECK(f.one(1).phase == phase::in_doubt);
    CHECK(f.attempt(2) == 2);
}

TEST_CASE("services share a node's connections: at most two questions at a time go to it")
{
    constexpr int services = 10;
    fixture f;
    for (int i = 1; i <= services; ++i) {
        auto const name = "t" + std::to_string(i);
        f.add_task(1 + i, {{"service", name}});
        f.add_client("c" + std::to_string(i), "n1", 1, name);
        f.answers("n1", "c" + std::to_string(i));
    }
    f.calls.takes = 100ms;
    f.begin();
    for (int i = 1; i <= services; ++i)
        f.add_doubts({i}, 1 + i);
    f.pass(3s);
    CHECK(f.calls.most_at_once["n1"] == 2);
    for (int i = 1; i <= services; ++i)
        CHECK(f.attempt(i) == 2);
}

TEST_CASE(
    "the clients of 64 services are asked at the same time, and silent ones make no further service wait for long")
{
    constexpr int services = 150;
    fixture f;
    f.begin();
    for (int i = 1; i <= services; ++i) {
        auto const name = "t" + std::to_string(i);
        f.add_task(1 + i, {{"service", name}});
        f.add_client("c" + std::to_string(i), "n1", 1, name);
    }
    f.answers("n1", "c1");
    for (int i = 1; i <= services; ++i)
        f.add_doubts({i}, 1 + i);
    auto const asked_about = [&] {
        std::set<execution_id> all;
        for (auto const& [node, request] : f.calls.asked)
            all.insert(request.executions.front());
        return all;
    };
    f.pass(1s);
    CHECK(asked_about().size() == 65); // the end of one has let the next one begin
    f.pass(2s);
    CHECK(asked_about().size() > 65);
    f.pass(4s);
    CHECK(asked_about().size() == services);
}

TEST_CASE("a question names at most 5,000 executions, and the rest follows")
{
    fixture f;
    f.add_client("a", "n1");
    f.answers("n1", "a");
    f.begin();
    std::vector<int> many;
    for (int id = 1; id <= 5'100; ++id)
        many.push_back(id);
    f.add_doubts(many);
    f.pass(3s);
    REQUIRE(f.calls.asked.size() == 2);
    CHECK(f.calls.asked[0].second.executions.size() == 5'000);
    CHECK(f.calls.asked[1].second.executions.size() == 100);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE attempt = 2") == 5'100);
}

TEST_CASE("a question names at most 500 clients of a node, and the rest are asked although the first ones are silent",
          "[large]")
{
    fixture f;
    for (int number = 1'000; number < 2'200; ++number)
        f.add_client("c" + std::to_string(number), "n1");
    for (int number = 1'500; number < 2'200; ++number)
        f.answers("n1", "c" + std::to_string(number));
    f.begin();
    f.add_doubts({1});
    f.pass(5s);
    std::set<std::string> asked;
    std::size_t most = 0;
    for (auto const& [node, request] : f.calls.asked) {
        asked.insert(request.instances.begin(), request.instances.end());
        most = std::max(most, request.instances.size());
    }
    CHECK(most == 500);
    CHECK(asked.size() == 1'200);
    CHECK(f.one(1).phase == phase::in_doubt);
    for (int number = 1'000; number < 1'500; ++number)
        f.answers("n1", "c" + std::to_string(number));
    f.pass(5s);
    CHECK(f.attempt(1) == 2);
}

TEST_CASE("an execution in doubt that is not due yet waits for its due time while cluster time stands still")
{
    fixture f;
    f.begin();
    f.clock.now();
    f.stage.database.step_clock(-90s);
    f.host.time().step_wall(-90s);
    REQUIRE(f.clock.stands_until());
    f.start = f.stage.database.utc() + 10s;
    f.add_doubts({1});
    f.pass(9s);
    CHECK(f.one(1).phase == phase::waiting);
    CHECK(f.open.pauses(f.one(1)));
    f.pass(2s);
    CHECK_FALSE(f.open.pauses(f.one(1)));
}

TEST_CASE("an execution whose client runs an earlier attempt waits for its end")
{
    fixture f;
    f.add_client("a", "n1");
    f.begin();
    f.add_execution(1, 1);
    f.exec("UPDATE execution SET attempt = 2, max_attempts = 2 WHERE id = 1");
    f.load();
    f.answers("n1", "a", {held(1, 1)});
    f.resolver->add(f.one(1), attempt_cause::client_gone);
    f.pass(1s);
    CHECK(f.one(1).phase == phase::runs_earlier);
    CHECK(f.one(1).where == "a");
    CHECK(f.one(1).earlier_attempt == 1);
    auto const asked = f.calls.asked.size();
    f.pass(5s);
    CHECK(f.calls.asked.size() - asked <= 6); // once a second
    CHECK(f.attempt(1) == 2);
}

TEST_CASE("an execution is not absent before the directory shows the clients that had joined when it came in doubt")
{
    fixture f;
    f.begin();
    f.add_execution(1, 1);
    f.load();
    f.answers("n1", "a", {held(1)});
    f.put_client("a", "n1"); // which this master has not read of
    f.resolver->add(f.one(1), attempt_cause::client_gone);
    f.pass(3s);
    CHECK(f.one(1).phase == phase::held);
    CHECK(f.attempt(1) == 1);
}

TEST_CASE("no question is asked before every node that lives knows the epoch")
{
    fixture f;
    f.add_client("a", "n1");
    f.answers("n1", "a");
    f.calls.mute.insert("n2");
    f.begin();
    f.add_doubts({1});
    f.pass(2s);
    CHECK(f.told == std::map<std::string, int>{{"n1", 1}});
    CHECK(f.calls.asked.empty());
    SECTION("it answers")
    {
        f.calls.mute.clear();
        f.pass(1s);
        CHECK(f.told["n2"] == 1);
        CHECK(f.attempt(1) == 2);
    }
    SECTION("it is gone")
    {
        f.kill("n2");
        f.pass(1s);
        CHECK(f.attempt(1) == 2);
    }
}

TEST_CASE("the master that was replaced is not waited for, and is suspect until it answers")
{
    fixture f;
    f.of.replaced = "n2";
    f.add_client("a", "n1");
    f.answers("n1", "a");
    f.calls.mute.insert("n2");
    f.begin();
    f.add_doubts({1});
    f.pass(1s);
    CHECK(f.attempt(1) == 2);
    CHECK(f.resolver->suspects("n2"));
    CHECK_FALSE(f.resolver->suspects("n1"));
    f.calls.mute.clear();
    f.pass(1s);
    CHECK_FALSE(f.resolver->suspects("n2"));
    CHECK(f.told["n2"] == 1);
}

} // namespace in_doubt_resolver_test
