#include "libs/http/parse_as.hpp"
#include "libs/protocol/node_wire.hpp"
#include "tests/simulation/cluster_verdict.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>

using namespace baton;
using namespace baton::simulation;

// Work that is large, comes all at once, or waits for a client that does not answer: the messages stay bounded, and
// other services do not wait.

namespace {

protocol::task_definition once_at(std::string name, utc_time at, std::size_t payload)
{
    auto task = make_task(std::move(name), at, at);
    task.schedule.kind = protocol::schedule_kind::once;
    task.schedule.start_at.reset();
    task.schedule.end_at.reset();
    task.schedule.at = at;
    task.payload = protocol::json_text(nlohmann::json(std::string(payload, 'x')));
    return task;
}

protocol::task_definition often(std::string const& project, utc_time from, utc_time until)
{
    auto task = make_task("often", from, until);
    task.project = project;
    task.schedule.kind = protocol::schedule_kind::fixed_rate;
    task.schedule.every = 100ms;
    return task;
}

// The most requests of one path that were on their way to one host at the same time, if each takes at least `span`.
class in_flight {
public:
    in_flight(cluster_world& world, duration span) : world_(world), span_(span)
    {
        world_.stage().net.on_request = [this](http::url const& to, http::request const& message) {
            note(message.target, to.host);
            auto& longest = longest_[message.target];
            longest = std::max(longest, message.body.size());
        };
    }
    ~in_flight() { world_.stage().net.on_request = {}; }

    std::size_t most(std::string const& path) { return most_[path]; }
    std::size_t longest(std::string const& path) { return longest_[path]; } // body, in bytes

private:
    void note(std::string const& path, std::string const& host)
    {
        auto const now = world_.stage().time.now();
        auto& sent = sent_[{path, host}];
        std::erase_if(sent, [&](instant at) { return now - at >= span_; });
        sent.push_back(now);
        most_[path] = std::max(most_[path], sent.size());
    }

    cluster_world& world_;
    duration span_;
    std::map<std::pair<std::string, std::string>, std::vector<instant>> sent_;
    std::map<std::string, std::size_t> most_;
    std::map<std::string, std::size_t> longest_;
};

// A proxy in front of the client takes no message of more than 40 KB.
std::string narrow_proxy(std::uint64_t seed)
{
    constexpr std::size_t limit = 40'000;
    cluster_world world(seed, 1, 1, 200);
    world.pass(5s);
    std::size_t refused = 0;
    world.stage().net.answers_instead = [&](http::request const& message) -> std::optional<http::response> {
        if (message.target != protocol::path_dispatch || message.body.size() <= limit)
            return std::nullopt;
        ++refused;
        http::response answer;
        answer.status = 413;
        return answer;
    };
    auto const at = begin_of(world);
    std::vector<task_id> small;
    for (int i = 0; i < 30; ++i)
        small.push_back(world.add(once_at(fmt::format("small {}", i), at, 4'000)).task.id);
    auto const large = world.add(once_at("large", at, 60'000)).task.id;
    for (int i = 30; i < 60; ++i)
        small.push_back(world.add(once_at(fmt::format("small {}", i), at, 4'000)).task.id);
    world.pass(20s);
    std::string wrong = refused == 0 ? "no message was too large\n" : "";
    for (auto const task : small)
        for (auto const& row : world.firings(task))
            if (row.state != "succeeded" || row.attempt != 1 || row.started_at > row.scheduled_at + 1'000'000)
                wrong += describe("small", row, fmt::format("began after {} us", row.started_at - row.scheduled_at));
    for (auto const& row : world.firings(large))
        if (row.state != "failed" || row.reason != "the client refuses a message of this size (status 413)")
            wrong += describe("large", row, row.reason);
    return wrong;
}

// A client does not answer while a new master asks for the executions of two services.
std::string silent_client_at_a_take_over(std::uint64_t seed)
{
    cluster_world world(seed, 3, 1, 200);
    world.add_client("other");
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 20s;
    auto const theirs = often("default", from, until);
    auto const ours = often("other", from, until);
    world.add(theirs);
    auto const id = world.add(ours).task.id;
    world.pass(from - world.stage().time.utc() + 5s);
    world.freeze_client(0, 14s); // less than its ttl, so it does not count as gone
    world.pass(1s + duration{static_cast<std::int64_t>(seed * 133'333 % 500'000)});
    world.kill_node(static_cast<std::size_t>(world.master()), 60s);
    world.pass(90s);
    auto wrong = firing_problems(world, {id, ours.name, instants_of(100ms, from, until)});
    auto const terms = world.terms();
    if (terms.size() != 2)
        return wrong + "not two terms\n";
    auto const acting = to_micros(terms.back().acting_at);
    for (auto const& row : world.firings(id)) {
        auto const late = row.started_at - std::max(row.scheduled_at, acting);
        if (row.started_at >= acting && late > 1'000'000)
            wrong += describe(ours.name, row, fmt::format("began {} us late", late));
    }
    return wrong;
}

// Statements that clients cause hold all sessions of a node that are not reserved, for longer than its lease and its
// ttl.
std::string held_sessions(std::uint64_t seed)
{
    cluster_world world(seed, 3, 1, 200, {.guarded = seed % 2 == 0});
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 40s;
    auto const task = often("default", from, until);
    auto const id = world.add(task).task.id;
    world.pass(from - world.stage().time.utc() + 3s);
    for (std::size_t node = 0; node < 3; ++node) {
        world.pass(duration{static_cast<std::int64_t>(seed * 333'333 % 1'000'000)});
        world.hold_sessions(node, 4'900ms); // the ttl of a node is 4 s
        world.pass(8s);
    }
    world.pass(60s);
    auto wrong = problems(world, {{id, task.name, instants_of(100ms, from, until)}});
    if (world.terms().size() != 1)
        wrong += fmt::format("{} terms\n", world.terms().size());
    for (auto const& row : world.firings(id))
        if (row.attempt != 1 || row.started_at > row.scheduled_at + 100'000)
            wrong += describe(task.name, row, fmt::format("began after {} us", row.started_at - row.scheduled_at));
    return wrong;
}

// The mark of what a master may fire cannot be written for some time.
std::string held_mark(std::uint64_t seed)
{
    cluster_world world(seed, 2, 1, 200);
    world.pass(5s);
    auto const from = begin_of(world);
    auto const until = from + 15s;
    auto const task = often("default", from, until);
    auto const id = world.add(task).task.id;
    world.pass(from - world.stage().time.utc() + 3s + duration{static_cast<std::int64_t>(seed * 333'333 % 1'000'000)});
    world.hold_decisions(static_cast<std::size_t>(world.master()), 4'500ms);
    world.pass(4s);
    std::int64_t mark = 0;
    world.stage().database.inspect(
        [&](soci::session& sql) { sql << "SELECT MAX(fired_until) FROM lock_fence", soci::into(mark); });
    std::string wrong;
    if (mark > to_micros(world.stage().database.utc()))
        wrong += "the mark was written in spite of all\n";
    for (auto const& row : world.firings(id))
        if (row.started_at != 0 && row.scheduled_at > mark)
            wrong += describe(task.name, row, "began behind the mark");
    world.pass(60s);
    return wrong + firing_problems(world, {id, task.name, instants_of(100ms, from, until)});
}

// How many executions the longest message of one path names, and how many all messages that one step of a loop sends.
class named_executions {
public:
    explicit named_executions(cluster_world& world) : world_(world)
    {
        world_.stage().net.on_request = [this](http::url const&, http::request const& message) {
            if (message.target == protocol::path_assign)
                note(message.target, http::parse_if<protocol::assign_request>(message.body)->executions.size());
            else if (message.target == protocol::path_dispatch)
                note(message.target, http::parse_if<protocol::dispatch_request>(message.body)->executions.size());
        };
        world_.stage().time.observe([this] { step_.clear(); });
    }
    ~named_executions()
    {
        world_.stage().net.on_request = {};
        world_.stage().time.observe({});
    }

    std::size_t by_message(std::string const& path) { return by_message_[path]; }
    std::size_t by_step(std::string const& path) { return by_step_[path]; }
    std::size_t all(std::string const& path) { return all_[path]; }

private:
    void note(std::string const& path, std::size_t count)
    {
        all_[path] += count;
        by_message_[path] = std::max(by_message_[path], count);
        by_step_[path] = std::max(by_step_[path], step_[path] += count);
    }

    cluster_world& world_;
    std::map<std::string, std::size_t> step_; // of the present step, by path
    std::map<std::string, std::size_t> by_message_;
    std::map<std::string, std::size_t> by_step_;
    std::map<std::string, std::size_t> all_;
};

// Registers so many tasks of the service that fire once, in the same millisecond.
void add_herd(cluster_world& world, int tasks, utc_time at)
{
    auto definition = once_at("herd", at, 10);
    definition.service = cluster_service;
    auto const text = to_text(definition);
    auto const service = definition.service; // bound values must outlive the statement
    auto const due = to_micros(at);
    world.stage().database.inspect([&](soci::session& sql) {
        std::string const numbers =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < " + std::to_string(tasks) + ") ";
        sql << "INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
               "next_fire_at, created_at, updated_at) " +
                   numbers +
                   "SELECT x, 'default', 'herd ' || x, 1, 1, :service, 'work', 'once', :text, :at, 1, 1 FROM n",
            soci::use(service), soci::use(text), soci::use(due);
        sql << "INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) " + numbers +
                   "SELECT x, 1, 'created', 1, :text, 1 FROM n",
            soci::use(text);
    });
}

} // namespace

TEST_CASE(
    "behind a proxy that refuses long messages groups become smaller, and an execution that is too large fails alone")
{
    check_seeds(3, narrow_proxy);
}

TEST_CASE("a client that does not answer after a take-over makes no other service wait")
{
    check_seeds(4, silent_client_at_a_take_over);
}

TEST_CASE("statements that hold all shared sessions of a node hold up neither its heartbeats nor its lease")
{
    check_seeds(4, held_sessions);
}

TEST_CASE("nothing fires that is due behind the mark, although signals are read in time")
{
    check_seeds(3, held_mark);
}

TEST_CASE("hundreds of executions with long payloads travel in messages of bounded length")
{
    cluster_world world(Catch::rngSeed(), 2, 6, 200);
    world.pass(10s);
    in_flight seen(world, 1us);
    auto const at = begin_of(world);
    std::vector<task_id> tasks;
    for (int i = 0; i < 300; ++i)
        tasks.push_back(world.add(once_at(fmt::format("long {}", i), at, 60'000)).task.id);
    world.pass(20s);
    for (auto const task : tasks)
        for (auto const& row : world.firings(task))
            CHECK(row.state == "succeeded");
    CHECK(seen.longest(protocol::path_assign) > 1'000'000);
    CHECK(seen.longest(protocol::path_assign) < 1'200'000);
    CHECK(seen.longest(protocol::path_dispatch) > 1'000'000);
    CHECK(seen.longest(protocol::path_dispatch) < 1'200'000);
}

TEST_CASE(
    "of thousands of firings of one millisecond a message names at most 500, and a step of a loop sends at most 1,000",
    "[large]")
{
    constexpr std::size_t firings = 5'000;
    cluster_world world(Catch::rngSeed(), 3, 6, 4'000);
    world.pass(5s);
    auto const at = begin_of(world) + 3s;
    add_herd(world, static_cast<int>(firings), at);
    world.pass(at - world.stage().time.utc() - 1s);
    named_executions seen(world);
    world.pass(6s);
    std::int64_t late = 0;
    int begun = 0;
    world.stage().database.inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*), MAX(started_at - scheduled_at) FROM execution WHERE state = 'succeeded'",
            soci::into(begun), soci::into(late);
    });
    CHECK(begun == firings);
    CHECK(late <= 2'000'000);
    for (auto const* path : {protocol::path_assign, protocol::path_dispatch}) {
        CHECK(seen.all(path) > firings / 10); // some clients fetch, and the master is a home too
        CHECK(seen.by_message(path) <= 500);
        CHECK(seen.by_step(path) <= 1'000);
    }
}

TEST_CASE("many firings of one millisecond all begin within two seconds, and requests in flight are few", "[large]")
{
    constexpr int firings = 20'000;
    cluster_world world(Catch::rngSeed(), 3, 6, 4'000);
    world.add_client("other");
    world.pass(5s);
    auto const at = begin_of(world) + 6s;
    add_herd(world, firings, at);
    auto const beside = often("other", at - 2s, at + 3s);
    auto const id = world.add(beside).task.id;
    auto& net = world.stage().net;
    net.faults.min_latency = net.faults.max_latency = 5ms;
    in_flight seen(world, 10ms);
    world.pass(at - world.stage().time.utc() - 1s);
    auto before = std::clock();
    std::clock_t longest = 0;
    world.stage().time.observe([&] {
        auto const now = std::clock();
        longest = std::max(longest, now - before);
        before = now;
    });
    world.pass(4s);
    world.stage().time.observe({});
    std::cout << "the longest step: " << longest * 1'000 / CLOCKS_PER_SEC << " ms of processor time" << std::endl;
    world.pass(40s);
    std::int64_t last = 0;
    int begun = 0;
    world.stage().database.inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*), MAX(started_at) FROM execution WHERE state = 'succeeded' AND task_id <= :last",
            soci::use(firings), soci::into(begun), soci::into(last);
    });
    CHECK(begun == firings);
    CHECK(last - to_micros(at) <= 2'000'000);
    CHECK(seen.most(protocol::path_assign) > 1);
    CHECK(seen.most(protocol::path_assign) <= 8);
    CHECK(seen.most(protocol::path_dispatch) == 1);
    CHECK(firing_problems(world, {id, beside.name, instants_of(100ms, at - 2s, at + 3s)}) == "");
    for (auto const& row : world.firings(id))
        CHECK(row.started_at - row.scheduled_at <= 100'000);
    CHECK(world.terms().size() == 1);
}
