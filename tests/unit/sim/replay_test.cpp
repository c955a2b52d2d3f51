#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

namespace replay_test {

using namespace baton;

namespace {

// Three hosts that send one another requests and write to the database under faults.
struct world {
    sim::stage stage;
    std::vector<sim::host*> hosts;
    std::vector<std::unique_ptr<http::client>> clients;
    std::vector<std::unique_ptr<storage::database>> databases;

    explicit world(std::uint64_t seed) : stage(seed)
    {
        stage.database.inspect([](soci::session& sql) { sql << "CREATE TABLE entry (at INTEGER, host INTEGER)"; });
        auto& bad = stage.database.faults;
        bad = {.spike = 0.05,
               .spike_max = 500ms,
               .stall = 0.1,
               .stall_max = 2s,
               .lose_request = 0.05,
               .lose_reply = 0.05,
               .deadlock = 0.1};
        stage.net.faults = {.spike = 0.1, .spike_max = 300ms, .lose_request = 0.05, .lose_reply = 0.05, .repeat = 0.05};
        for (int i = 0; i < 3; ++i) {
            hosts.push_back(&stage.add_host("h" + std::to_string(i)));
            clients.push_back(stage.net.client_for(*hosts.back()));
            databases.push_back(stage.database.connect(*hosts.back(), {.sessions = 1, .read_limit = 1s}));
            stage.net.attach(*hosts.back(), address(i), [this, i](http::request const&) { return serve(i); });
            hosts.back()->spawn(live(i));
        }
    }
    ~world() { stage.end(); }

    static http::url address(int i) { return http::parse_url("http://h" + std::to_string(i) + ":1"); }

    awaitable<http::response> serve(int i)
    {
        co_await write(i);
        co_return http::response{};
    }

    awaitable<void> write(int i)
    {
        auto work = [i](soci::session& sql) {
            sql << "INSERT INTO entry VALUES (baton_now_us(), :host)", soci::use(i);
        };
        try {
            co_await databases[static_cast<std::size_t>(i)]->run(work);
        } catch (unavailable const& failure) {
            stage.log.note(failure.what());
        }
    }

    awaitable<void> live(int i)
    {
        auto const mine = static_cast<std::size_t>(i);
        for (;;) {
            auto const pause = duration{static_cast<std::int64_t>(hosts[mine]->random().below(1'000'000))};
            co_await hosts[mine]->time().sleep_for(pause);
            http::request const hello;
            auto const to = address((i + 1) % 3);
            try {
                co_await clients[mine]->send(to, hello, 2s);
            } catch (unavailable const& failure) {
                stage.log.note(failure.what());
            }
        }
    }

    std::uint64_t play()
    {
        stage.time.run_for(20s);
        stage.database.freeze_for(3s);
        stage.time.run_for(10s);
        stage.net.partition("h0", "h1");
        hosts[2]->kill();
        stage.time.run_for(20s);
        return stage.log.hash();
    }
};

// Three hosts that compete for one lock under faults.
struct contest {
    sim::stage stage;
    std::vector<sim::host*> hosts;
    std::vector<std::unique_ptr<storage::database>> databases;
    int granted = 0;

    explicit contest(std::uint64_t seed) : stage(seed)
    {
        stage.database.inspect([](soci::session& sql) { sql << "CREATE TABLE turn (at INTEGER, host INTEGER)"; });
        stage.database.faults = {
            .spike = 0.05, .spike_max = 500ms, .stall = 0.1, .stall_max = 3s, .lose_request = 0.05, .lose_reply = 0.05};
        for (int i = 0; i < 3; ++i)
            start(i);
    }
    ~contest() { stage.end(); }

    void start(int i)
    {
        hosts.push_back(&stage.add_host("h" + std::to_string(i)));
        databases.push_back(stage.database.connect(*hosts.back(), {.sessions = 1, .read_limit = 3s, .idle_limit = 2s}));
        hosts.back()->spawn(live(*hosts.back(), *databases.back()));
    }

    awaitable<void> live(sim::host& host, storage::database& database)
    {
        for (;;) {
            try {
                co_await compete(host, database);
            } catch (unavailable const& failure) {
                stage.log.note(failure.what());
            }
            auto const pause = duration{static_cast<std::int64_t>(host.random().below(3'000'000))};
            co_await host.time().sleep_for(pause);
        }
    }

    awaitable<void> compete(sim::host& host, storage::database& database)
    {
        auto const get = [](soci::session& sql) {
            int mine = 0;
            soci::indicator state = soci::i_ok;
            sql << "SELECT baton_get_lock('x', 2)", soci::into(mine, state);
            return state == soci::i_ok && mine == 1;
        };
        if (!co_await database.run(get))
            co_return;
        ++granted;
        co_await host.time().sleep_for(300ms);
        auto const note = [](soci::session& sql) {
            sql << "INSERT INTO turn SELECT baton_now_us(), baton_connection_id() "
                   "WHERE baton_lock_holder('x') = baton_connection_id()";
        };
        co_await database.run(note);
        auto const release = [](soci::session& sql) { sql << "SELECT baton_release_lock('x')"; };
        co_await database.run(release);
    }

    std::uint64_t play()
    {
        stage.time.run_for(20s);
        stage.database.freeze_for(3s);
        stage.time.run_for(10s);
        stage.database.partition("h0");
        hosts[0]->kill();
        stage.time.run_for(5s);
        stage.database.crash_for(2s);
        stage.time.run_for(5s);
        stage.database.heal("h0");
        start(0);
        hosts[1]->kill();
        stage.time.run_for(20s);
        return stage.log.hash();
    }
};

} // namespace

TEST_CASE("the same seed replays a simulation exactly, and another seed differs")
{
    auto const seed = GENERATE(range(1u, 6u));
    INFO("seed " << seed);
    world first(seed);
    auto const hash = first.play();
    CHECK(first.stage.log.count() > 100);
    world second(seed);
    CHECK(second.play() == hash);
    CHECK(second.stage.log.tail() == first.stage.log.tail());
    world other(seed + 1'000);
    CHECK(other.play() != hash);
}

TEST_CASE("a contest for a named lock replays exactly, and leaves no session on the server when all hosts are dead")
{
    auto const seed = GENERATE(range(1u, 11u));
    INFO("seed " << seed);
    contest first(seed);
    auto const hash = first.play();
    CHECK(first.granted > 10);
    contest second(seed);
    CHECK(second.play() == hash);
    CHECK(second.stage.log.tail() == first.stage.log.tail());
    contest other(seed + 1'000);
    CHECK(other.play() != hash);

    first.stage.database.faults = {};
    for (auto* const host : first.hosts)
        host->kill();
    first.stage.time.run_for(10s);
    CHECK(first.stage.database.sessions() == 0);
    int held = 0;
    first.stage.database.inspect(
        [&](soci::session& sql) { sql << "SELECT COUNT(baton_lock_holder('x'))", soci::into(held); });
    CHECK(held == 0);
}

} // namespace replay_test
