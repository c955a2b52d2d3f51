#include "libs/sim/sim.hpp"
#include "trigger/master/cancellations.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <set>

namespace cancellations_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture {
    sim::stage stage{23};
    sim::host& host = stage.add_host("master");
    open_set open{host.time()};
    std::shared_ptr<known_task const> task = make_task();
    std::map<std::string, duration> answers_after;        // of a node or client; 1 ms otherwise
    std::map<std::string, std::vector<std::size_t>> told; // the sizes of the groups that each was told
    std::set<execution_id> kept_by_node;                  // which it has sent to a client already
    std::set<execution_id> ended;
    int in_flight = 0;
    int most_in_flight = 0;
    std::set<std::string> called_now;
    bool twice_at_once = false;
    std::optional<cancellations> cancelling;

    fixture()
    {
        cancellations::steps steps;
        steps.tell_client = [this](std::string instance, std::vector<execution_id> ids) {
            return tell(std::move(instance), std::move(ids));
        };
        steps.withdraw = [this](std::string node, std::vector<execution_id> ids) {
            return withdraw(std::move(node), std::move(ids));
        };
        steps.end = [this](open_execution& one) {
            open.move(one, phase::opening);
            ended.insert(one.id);
        };
        steps.stopping = [](open_execution&) {};
        cancelling.emplace(open, host.time(), stage.loop.get_executor(), std::move(steps));
        host.spawn(cancelling->run());
    }
    ~fixture() { stage.end(); }

    static std::shared_ptr<known_task const> make_task()
    {
        auto task = std::make_shared<known_task>();
        task->id = task_id{1};
        task->definition.service = "s";
        return task;
    }

    awaitable<void> tell(std::string whom, std::vector<execution_id> ids)
    {
        told[whom].push_back(ids.size());
        twice_at_once = twice_at_once || !called_now.insert(whom).second;
        most_in_flight = std::max(most_in_flight, ++in_flight);
        auto const found = answers_after.find(whom);
        auto const pause = found == answers_after.end() ? duration{1ms} : found->second;
        co_await host.time().sleep_for(pause);
        --in_flight;
        called_now.erase(whom);
    }
    awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids)
    {
        co_await tell(node, ids);
        std::erase_if(ids, [&](auto id) { return kept_by_node.contains(id); });
        co_return ids;
    }

    execution_id add(int id, phase in, std::string where = {}, std::optional<execution_id> parent = std::nullopt)
    {
        open_execution one;
        one.id = execution_id{id};
        one.task = task;
        one.parent = parent;
        open_set::reading const now(open);
        open.add(std::move(one), now);
        if (in != phase::waiting)
            open.move(*open.find(execution_id{id}), in, std::move(where));
        return execution_id{id};
    }
    void pass(duration span) { stage.time.run_for(span); }
};

} // namespace

TEST_CASE("an execution that waits is ended, one at a node is taken back, and the client of any other is told")
{
    fixture f;
    auto const waiting = f.add(1, phase::waiting);
    auto const queued = f.add(2, phase::assigned, "node");
    auto const sent = f.add(3, phase::assigned, "node");
    auto const held = f.add(4, phase::held, "client");
    f.add(5, phase::held, "client"); // not asked for
    f.kept_by_node.insert(sent);
    f.cancelling->request({waiting, queued, sent, held, execution_id{99}});
    f.pass(100ms);
    CHECK(f.ended == std::set{waiting, queued});
    CHECK(f.told["node"] == std::vector<std::size_t>{2});
    CHECK(f.told["client"] == std::vector<std::size_t>{1});
}

TEST_CASE("what answered late is forgotten when it has not been called for some seconds")
{
    fixture f;
    for (int id = 1; id <= 20; ++id) {
        auto const client = "client" + std::to_string(id);
        f.answers_after[client] = 1s;
        f.cancelling->request({f.add(id, phase::held, client)});
    }
    f.pass(5s);
    CHECK(f.cancelling->lanes() == 20);
    for (int id = 1; id <= 20; ++id)
        f.open.erase(execution_id{id});
    f.pass(20s);
    CHECK(f.cancelling->lanes() == 0);
}

TEST_CASE("the client that runs an earlier attempt of an execution is told to cancel it")
{
    fixture f;
    auto const one = f.add(1, phase::runs_earlier, "client");
    f.cancelling->request({one});
    f.pass(100ms);
    CHECK(f.told["client"].size() == 1);
}

TEST_CASE("the cancelling is repeated until the execution has ended")
{
    fixture f;
    auto const one = f.add(1, phase::held, "client");
    f.cancelling->request({one});
    f.pass(5s);
    CHECK(f.told["client"].size() == 3);
    f.open.erase(one);
    f.pass(10s);
    CHECK(f.told["client"].size() == 3);
}

TEST_CASE("an execution that its node sent meanwhile is cancelled at the client")
{
    fixture f;
    auto const one = f.add(1, phase::assigned, "node");
    f.kept_by_node.insert(one);
    f.cancelling->request({one});
    f.pass(100ms);
    f.open.move(*f.open.find(one), phase::held, "client");
    f.pass(3s);
    CHECK(f.ended.empty());
    CHECK(f.told["client"].size() == 1);
}

TEST_CASE("an execution that a node gives back after it was assigned elsewhere is not ended by that")
{
    fixture f;
    auto const one = f.add(1, phase::assigned, "node");
    f.answers_after["node"] = 1s;
    f.cancelling->request({one});
    f.pass(100ms);
    f.open.find(one)->attempt = 2;
    f.open.move(*f.open.find(one), phase::assigned, "another");
    f.kept_by_node.insert(one);
    f.pass(1s);
    CHECK(f.ended.empty());
    f.pass(3s);
    CHECK(f.told["another"].size() == 1);
}

TEST_CASE("clients that do not answer a cancel delay the cancelling at no other client")
{
    fixture f;
    std::vector<execution_id> bad;
    for (int i = 0; i < 300; ++i) {
        auto const name = "mute-" + std::to_string(i);
        f.answers_after[name] = 5s;
        bad.push_back(f.add(i + 1, phase::held, name));
    }
    f.cancelling->request(bad);
    f.pass(40s); // each has been found slow
    CHECK(f.most_in_flight <= 80);
    CHECK_FALSE(f.twice_at_once);
    CHECK(f.told.size() == 300);
    for (int i = 0; i < 100; ++i)
        f.cancelling->request({f.add(1'000 + i, phase::held, "good-" + std::to_string(i))});
    f.pass(20ms);
    for (int i = 0; i < 100; ++i)
        CHECK(f.told["good-" + std::to_string(i)].size() == 1);
}

TEST_CASE("a step of the loop looks at a bounded number of requests to cancel")
{
    fixture f;
    std::vector<execution_id> ids;
    for (int i = 1; i <= 5'000; ++i)
        ids.push_back(f.add(i, phase::waiting, ""));
    std::size_t before = 0;
    std::size_t most = 0;
    f.stage.time.observe([&] {
        most = std::max(most, f.ended.size() - before);
        before = f.ended.size();
    });
    f.cancelling->request(ids);
    f.pass(100ms);
    f.stage.time.observe({});
    CHECK(f.ended.size() == 5'000);
    CHECK(most <= 1'000);
}

TEST_CASE("a storm of cancels for one client is one call at a time, in groups of a bounded size")
{
    fixture f;
    std::vector<execution_id> ids;
    for (int i = 1; i <= 5'000; ++i)
        ids.push_back(f.add(i, phase::held, "client"));
    f.cancelling->request(ids);
    f.pass(100ms);
    CHECK_FALSE(f.twice_at_once);
    std::size_t all = 0;
    for (auto const size : f.told["client"]) {
        CHECK(size <= 1'000);
        all += size;
    }
    CHECK(all == 5'000);
}

TEST_CASE("with a broadcast its shards are cancelled, and those that are added later")
{
    fixture f;
    auto const parent = f.add(1, phase::parent);
    f.add(2, phase::held, "a", parent);
    f.cancelling->request({parent});
    f.add(3, phase::held, "b", parent);
    f.pass(300ms);
    CHECK(f.told["a"].size() == 1);
    CHECK(f.told["b"].size() == 1);
}

TEST_CASE("an execution that was to be cancelled when it was read is cancelled")
{
    fixture f;
    open_execution one;
    one.id = execution_id{1};
    one.task = f.task;
    {
        open_set::reading const seen(f.open);
        f.cancelling->request({one.id}); // while the ledger is read
        f.open.add(one, seen);
    }
    one.id = execution_id{2};
    one.cancel_requested = true; // as its row says
    {
        open_set::reading const seen(f.open);
        f.open.add(one, seen);
    }
    f.pass(300ms);
    CHECK(f.ended == std::set{execution_id{1}, execution_id{2}});
}

} // namespace cancellations_test
