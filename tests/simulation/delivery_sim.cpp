#include "libs/http/message.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/fetch_wire.hpp"
#include "tests/simulation/cluster_verdict.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

using namespace baton;
using namespace baton::simulation;

// Deliveries whose answers are lost for longer than a client remembers what it has ended, and edits whose commit does
// not come.

namespace {

// Each client and its home lose one another in the midst of deliveries, for longer than the client remembers; the
// results travel by another node.
std::string cut_links(std::uint64_t seed, duration memory)
{
    cluster_world world(seed, 3, 0, seed % 2 == 0 ? 200 : 2);
    world.remember_for(memory);
    for (int i = 0; i < 3; ++i)
        world.add_client("default");
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 20s;
    auto const task = often("often", "work", from, until);
    auto const id = world.add(task).task.id;
    auto& net = world.stage().net;
    net.faults.lose_reply = 0.05; // some answers are lost before the link is cut
    world.pass(8s + duration{static_cast<std::int64_t>(seed * 137'137 % 5'000'000)});
    net.faults = {};
    auto const span = memory + duration{static_cast<std::int64_t>(seed * 77'777'777 % 30'000'000)};
    for (std::size_t client = 0; client < 3; ++client) {
        auto const home = home_of(world, client);
        auto const name = fmt::format("c{}", client);
        if (home.empty())
            return name + " has no home\n";
        net.partition(home, name);
        world.stage().run_after(span, [&net, home, name] { net.heal(home, name); });
    }
    world.pass(span);
    world.settle();
    return problems(world, {{id, task.name, instants_of(100ms, from, until)}});
}

std::string cut_links(std::uint64_t seed)
{
    return cut_links(seed, client_memory);
}

// The answers to dispatches and to fetches are lost, some at first and then all for longer than a client remembers,
// while heartbeats, probes and results arrive. The clients beat so seldom that they do not count as gone before that is
// over.
std::string unanswered(std::uint64_t seed)
{
    cluster_world world(seed, 2, 3, seed % 2 == 0 ? 200 : 2, {.client_heartbeat = client_memory / 2});
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 40s;
    auto const task = often("often", "work", from, until);
    auto const id = world.add(task).task.id;
    auto& net = world.stage().net;
    std::uint64_t lost_of_ten = 3;
    net.loses_answer = [&](http::request const& message) {
        bool const delivers = message.target == protocol::path_fetch || message.target == protocol::path_dispatch;
        return delivers && world.stage().random.below(10) < lost_of_ten;
    };
    world.pass(10s + duration{static_cast<std::int64_t>(seed * 137'137 % 20'000'000)});
    lost_of_ten = 10;
    world.pass(client_memory + 20s);
    net.loses_answer = {};
    world.settle();
    auto wrong = problems(world, {{id, task.name, instants_of(100ms, from, until)}});
    if (world.gone_clients() != 0)
        wrong += fmt::format("{} live clients counted as gone\n", world.gone_clients());
    return wrong;
}

// A client runs executions that take three times as long as its ttl. The answers to some of its dispatches are lost,
// and from then on no node can call it, while it sends heartbeats.
std::string cannot_be_called(std::uint64_t seed)
{
    cluster_world world(seed, 2, 1, 200, {.client_heartbeat = 2s});
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 3s;
    auto const task = often("often", "long", from, until);
    auto const id = world.add(task).task.id;
    auto& net = world.stage().net;
    auto const cut = from + 500ms + duration{static_cast<std::int64_t>(seed * 137'137 % 2'000'000)};
    world.pass(cut - world.stage().database.utc());
    net.loses_answer = [](http::request const& message) { return message.target == protocol::path_dispatch; };
    world.pass(200ms);
    net.detach(http::parse_url("http://c0:9000"));
    net.loses_answer = {};
    world.pass(25s); // its ttl twice, and the end of the executions
    std::string wrong;
    for (auto const& row : world.firings(id)) {
        bool const reached = row.scheduled_at < to_micros(cut);
        if (row.attempt != 1 || (reached && row.state != "succeeded"))
            wrong += describe(task.name, row, "is not where the client has it");
    }
    if (world.gone_clients() != 0 || world.seen().handler_starts == 0)
        wrong += fmt::format("{} starts, {} clients gone\n", world.seen().handler_starts, world.gone_clients());
    return wrong;
}

// No node can record a result for longer than a client remembers, and then a new master asks for what is open. Seed 4
// finds clients that forget unrecorded results; the first three do not, because the results arrive before the question.
std::string unrecorded_results(std::uint64_t first)
{
    auto const seed = first + 3;
    cluster_world world(seed, 3, 3, 200);
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 8s;
    auto const task = often("often", seed % 2 == 0 ? "work" : "long", from, until);
    auto const id = world.add(task).task.id;
    world.pass(9s + duration{static_cast<std::int64_t>(seed * 333'333 % 1'500'000)});
    auto const span = client_memory + 20s;
    if (seed % 3 == 0)
        world.stage().database.freeze_for(span);
    else
        world.stage().database.crash_for(span);
    world.pass(span);
    world.settle();
    auto wrong = problems(world, {{id, task.name, instants_of(100ms, from, until)}});
    if (world.gone_clients() != 0)
        wrong += fmt::format("{} live clients counted as gone\n", world.gone_clients());
    return wrong;
}

// A node that repeats the deliveries of its first seconds, as new messages, without asking. Returns how many handlers
// ran twice.
int repeated_after(duration age)
{
    cluster_world world(1, 2, 1, 200);
    auto& stage = world.stage();
    std::vector<std::pair<http::url, http::request>> seen;
    stage.net.on_request = [&](http::url const& to, http::request const& message) {
        if (message.target == protocol::path_dispatch && seen.size() < 20)
            seen.emplace_back(to, message);
    };
    world.pass(5s);
    auto const from = begin_of(world);
    world.add(often("often", "work", from, from + 3s));
    world.pass(20s);
    auto& host = stage.add_host("repeater");
    auto const sender = stage.net.client_for(host);
    auto const repeat = [&]() -> awaitable<void> {
        auto number = std::int64_t{1'000'000};
        for (auto const& [to, message] : seen) {
            auto body = http::parse_json(message.body);
            body["number"] = ++number;
            auto again = message;
            again.body = body.dump();
            co_await sender->send(to, std::move(again), 5s);
        }
    };
    world.pass(age);
    host.spawn(repeat());
    world.pass(10s);
    return seen.empty() ? -1 : world.seen().doubled;
}

// The link between a home and the master is cut, and no other one. The home hears its client and reaches the database,
// and so does the master. The other clients belong to other services.
std::string home_without_master(std::uint64_t seed)
{
    cluster_world world(seed, 3, 0, 200, {.guarded = seed % 2 == 0});
    std::vector<std::string> const projects{"default", "second", "third"};
    for (auto const& project : projects)
        world.add_client(project);
    world.pass(12s); // the homes become even
    auto const master = fmt::format("t{}", world.master());
    std::size_t client = 0;
    while (client < projects.size() && home_of(world, client) == master)
        ++client;
    if (client == projects.size())
        return "all clients are with the master\n";
    auto const home = home_of(world, client);
    auto const from = begin_of(world);
    auto const until = from + 40s;
    auto task = often("often", "work", from, until);
    task.project = projects[client];
    auto const id = world.add(task).task.id;
    auto& net = world.stage().net;
    world.pass(from - world.stage().time.utc() + 3s + duration{static_cast<std::int64_t>(seed * 333'333 % 1'000'000)});
    net.partition(home, master);
    auto const cut_at = world.stage().time.utc();
    std::string wrong;
    world.pass(3'500ms);
    for (int second = 0; second < 20; ++second) {
        if (auto const now = home_of(world, client); now == home || now.empty())
            wrong += fmt::format("{} s after its move the client is at '{}'\n", second, now);
        world.pass(1s);
    }
    net.heal(home, master);
    world.pass(20s);
    world.settle();
    if (world.terms().size() != 1)
        wrong += fmt::format("{} terms\n", world.terms().size());
    for (auto const& row : world.firings(id)) {
        // The home had some of the earlier ones, or may have had them. They wait until it counts as gone.
        auto const wait = row.scheduled_at > to_micros(cut_at + 5s) ? 100ms : 9s;
        if (row.started_at > row.scheduled_at + duration{wait}.count())
            wrong += describe(task.name, row, fmt::format("began {} us late", row.started_at - row.scheduled_at));
    }
    return wrong + problems(world, {{id, task.name, instants_of(100ms, from, until)}});
}

// Web has announced an edit, and its commit does not come. The firings behind its line wait until the master has given
// the edit up, and no longer; all others are on time.
std::string stalled_edit(std::uint64_t seed)
{
    cluster_world world(seed, 2, 2, 200);
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 15s;
    auto const edited = often("edited", "work", from, until);
    auto const other = often("other", "work", from, until);
    auto const id = world.add(edited).task.id;
    auto const beside = world.add(other).task.id;
    world.pass(5s + duration{static_cast<std::int64_t>(seed * 133'333 % 500'000)});
    auto const announced = to_micros(world.stage().database.utc());
    world.stage().database.inspect([&](soci::session& sql) {
        auto const task = id.value();
        sql << "INSERT INTO `signal` (id, kind, subject, created_at) VALUES (1, 'edit', :task, :at)", soci::use(task),
            soci::use(announced);
    });
    world.pass(until - from);
    world.settle();
    auto wrong = problems(world, {{id, edited.name, instants_of(100ms, from, until)},
                                  {beside, other.name, instants_of(100ms, from, until)}});
    auto const lead = trigger::planner_settings{}.edit_lead.count();
    constexpr std::int64_t given_up = 5'000'000;
    for (auto const& row : world.firings(id)) {
        auto const behind = row.scheduled_at >= announced + lead && row.started_at < announced + given_up;
        if (behind || row.started_at > std::max(row.scheduled_at, announced + given_up + 2'000'000) + 50'000)
            wrong += describe(edited.name, row, behind ? "began while an edit was to come" : "began late");
    }
    for (auto const& row : world.firings(beside))
        if (row.started_at > row.scheduled_at + 50'000)
            wrong += describe(other.name, row, "began late");
    return wrong;
}

} // namespace

TEST_CASE("a link that is cut for longer than a client remembers repeats no delivery after its execution ended")
{
    check_seeds(3, cut_links);
}

TEST_CASE("the same holds when a client remembers for ten minutes, as the SDK does", "[large]")
{
    auto const wrong = cut_links(1, 10min);
    INFO(wrong);
    CHECK(wrong.empty());
}

TEST_CASE("dispatches and fetches that get no answer for longer than a client remembers repeat no delivery", "[large]")
{
    check_seeds(3, unanswered);
}

TEST_CASE("what a client has is settled over its own requests when no node can call it, and the client lives on")
{
    check_seeds(3, cannot_be_called);
}

TEST_CASE("no execution runs again whose result could not be recorded for longer than a client remembers", "[large]")
{
    check_seeds(3, unrecorded_results);
}

TEST_CASE("a home that is cut off from the master sends its clients to another node, and their service goes on")
{
    check_seeds(4, home_without_master);
}

TEST_CASE("the firings behind an announced edit wait until the edit is there or given up, and no other firing does")
{
    check_seeds(3, stalled_edit);
}

TEST_CASE("a client recognises a repeated delivery as long as it remembers")
{
    CHECK(repeated_after(client_memory - 30s) == 0);
}

TEST_CASE("the simulation detects a node that repeats an old delivery without asking", "[planted]")
{
    CHECK(repeated_after(client_memory + 30s) > 0);
}
