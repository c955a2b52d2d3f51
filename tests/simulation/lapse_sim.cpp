#include "libs/http/parse_as.hpp"
#include "libs/protocol/fetch_wire.hpp"
#include "libs/protocol/node_wire.hpp"
#include "tests/simulation/cluster_verdict.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace baton;
using namespace baton::simulation;

// Lapses of a node's membership: it cannot write its row for longer than its ttl, and beats again.

namespace {

// What nodes send, beside their lapses. A node that counts as gone must deliver nothing, and after that nothing of what
// it got before: the master has asked for it, and may have given it to another node.
class lapse_watch {
public:
    explicit lapse_watch(sim::stage& stage) : stage_(stage)
    {
        stage_.net.on_request = [this](http::url const& to, http::request const& message) {
            if (message.target == protocol::path_assign)
                note_assigned(to.host, message);
            else if (message.target == protocol::path_dispatch)
                judge(message);
        };
    }
    ~lapse_watch() { stage_.net.on_request = {}; }

    void add(std::string node, instant gone_at, instant back_at)
    {
        lapses_.push_back({std::move(node), gone_at, back_at});
    }
    std::string problems() const { return problems_; }

private:
    struct lapse {
        std::string node;
        instant gone_at;
        instant back_at;
    };
    using attempt = std::pair<execution_id, int>;

    void note_assigned(std::string const& node, http::request const& message)
    {
        auto const assigned = http::parse_if<protocol::assign_request>(message.body);
        for (auto const& one : assigned->executions)
            assigned_[node][{one.work.execution, one.work.attempt}] = stage_.time.now();
    }
    void judge(http::request const& message)
    {
        auto const sent = http::parse_if<protocol::dispatch_request>(message.body);
        auto const node = sent->node.substr(0, sent->node.find('#'));
        auto const now = stage_.time.now();
        for (auto const& each : lapses_) {
            if (each.node != node || now < each.gone_at)
                continue;
            if (now < each.back_at)
                problems_ += node + " delivers while it counts as gone\n";
            for (auto const& one : sent->executions)
                if (auto const found = assigned_[node].find({one.execution, one.attempt});
                    found != assigned_[node].end() && found->second < each.gone_at)
                    problems_ += fmt::format("{} delivers execution {}, which it got before its lapse\n", node,
                                             one.execution.value());
        }
    }

    sim::stage& stage_;
    std::map<std::string, std::map<attempt, instant>> assigned_; // by node: when last
    std::vector<lapse> lapses_;
    std::string problems_;
};

// The index of a node that is not the master.
std::size_t follower(cluster_world const& world, std::uint64_t draw)
{
    auto const first = static_cast<std::size_t>(draw % 3);
    return static_cast<int>(first) == world.master() ? (first + 1) % 3 : first;
}

// What fails of the clients' homes and their work after lapses.
std::string homes_problems(cluster_world& world)
{
    std::string wrong;
    if (world.gone_clients() != 0)
        wrong += fmt::format("{} live clients counted as gone\n", world.gone_clients());
    std::map<std::string, int> homes;
    for (std::size_t client = 0; client < 6; ++client)
        ++homes[home_of(world, client)];
    for (auto const& [home, count] : homes)
        if (homes.size() != 3 || count > 3)
            wrong += fmt::format("{} hears {} of 6 clients\n", home, count);
    // The master gives work to each of them again.
    auto const again = begin_of(world);
    auto const later = often("later", "work", again, again + 10s);
    auto const second = world.add(later).task.id;
    world.pass(20s);
    wrong += firing_problems(world, {second, later.name, instants_of(100ms, again, again + 10s)});
    std::set<std::string> used;
    world.stage().database.inspect([&](soci::session& sql) {
        soci::rowset<std::string> const clients =
            (sql.prepare << "SELECT DISTINCT client FROM execution WHERE task_id = " << second.value());
        for (auto const& client : clients)
            used.insert(client);
    });
    if (used.size() != 6)
        wrong += fmt::format("only {} of 6 clients got work after the lapses\n", used.size());
    return wrong;
}

// A node lapses three times. It hears its clients' requests and the calls of other nodes all the time, but for the
// second lapse, in which its working loop stands still until it is a member again. With odd seeds the clients beat too
// seldom to learn of it, and answer dispatches so slowly that executions wait at the node meanwhile.
std::string lapsed_membership(std::uint64_t seed)
{
    bool const slow = seed % 2 == 1;
    cluster_world world(seed, 3, 6, 200,
                        {.guarded = seed % 2 == 0, .client_heartbeat = slow ? client_memory / 2 : duration{5s}});
    auto& stage = world.stage();
    lapse_watch watch(stage);
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 60s;
    auto const task = often("often", seed % 3 == 0 ? "long" : "work", from, until);
    auto const id = world.add(task).task.id;
    if (slow)
        stage.net.delays_answer = [&](http::request const& message) {
            bool const delivers = message.target == protocol::path_dispatch || message.target == protocol::path_fetch;
            return delivers ? duration{static_cast<std::int64_t>(stage.random.below(4'000'000))} : duration{};
        };
    for (std::uint64_t lapse = 0; lapse < 3; ++lapse) {
        world.pass(2s);
        auto const index = follower(world, seed + lapse);
        auto const node = fmt::format("t{}", index);
        auto const span = 4s + duration{static_cast<std::int64_t>((seed + lapse) * 777'777 % 5'000'000)};
        auto const now = stage.time.now();
        watch.add(node, now + trigger::membership_settings{}.ttl, now + span);
        stage.database.partition(node);
        if (lapse == 1)
            world.freeze_work(index, span + 2s);
        world.pass(span);
        stage.database.heal(node);
        world.pass(8s);
    }
    stage.net.delays_answer = {};
    world.pass(5s);
    world.settle();
    return problems(world, {{id, task.name, instants_of(100ms, from, until)}}) + homes_problems(world) +
           watch.problems();
}

} // namespace

TEST_CASE("a node whose membership lapses gives its work back once, and hears clients and gets work again")
{
    check_seeds(4, lapsed_membership);
}
