// The statements of the election when two nodes of a Galera cluster execute them at once: one row has one winner, and a
// raised fence stops every earlier transaction.

#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"
#include "tests/conformance/galera_bench.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <map>
#include <thread>
#include <vector>

using namespace baton;
using namespace baton::test;
using storage::statement;

namespace {

// One lock row, and a session at each database node.
class cluster_bench {
public:
    cluster_bench()
    {
        home.migrated();
        for (auto const& where : home.nodes())
            nodes.emplace_back(where, time);
        wait_for(nodes.front().lease->ensure());
    }

    // The row stands so on every node. `age`: since its last renewal.
    void arrange(std::string const& owner, int epoch, int seq, duration ttl, duration age)
    {
        home.exec("UPDATE `lock` SET owner = '" + owner + "', version = " + std::to_string(epoch) +
                  ", renew_seq = " + std::to_string(seq) + ", ttl_us = " + std::to_string(ttl.count()) +
                  ", update_time = UTC_TIMESTAMP(6) - INTERVAL (" + std::to_string(age.count()) + ") MICROSECOND");
    }
    std::string state() // owner/version/renew_seq
    {
        return home.text("SELECT CONCAT(COALESCE(owner, '-'), '/', version, '/', renew_seq) FROM `lock`");
    }

    system_time time;
    store home{storage::engine::mysql};
    std::vector<node_bench> nodes;
};

std::string counted(std::map<std::string, int> const& outcomes)
{
    std::string text;
    for (auto const& [what, times] : outcomes)
        text += what + ": " + std::to_string(times) + "  ";
    return text;
}

char const* name(answer what)
{
    return what == answer::yes ? "won" : what == answer::no ? "lost" : "unavailable";
}

// Of the last transaction of this session, among all of the cluster.
std::int64_t place_in_order(soci::session& sql)
{
    std::string gtid; // domain-server-number
    statement(sql).select("WSREP_LAST_WRITTEN_GTID()").each([&](storage::row& cells) { gtid = cells.text(); });
    return std::stoll(gtid.substr(gtid.rfind('-') + 1));
}

// A call may meet a conflict at each of its tries; nothing is changed then.
bool raise_at_last(storage::ledger& by, storage::fence to)
{
    for (int calls = 0; calls < 100; ++calls) {
        try {
            return wait_for(by.raise(to));
        } catch (unavailable const&) {
            // Again.
        }
    }
    return false;
}

} // namespace

TEST_CASE("of two concurrent seizures at two nodes, one succeeds and the other learns that it failed")
{
    cluster_bench table;
    std::map<std::string, int> outcomes;
    for (int round = 0; round < 400; ++round) {
        table.arrange("gone", 7, round, 1s, 2s);
        lease::seizure const one{"one", "", 3s, 7, round, 8};
        lease::seizure const two{"two", "", 3s, 7, round, 8};
        auto const [a, b] = together(table.nodes[0].lease->seize(one), table.nodes[1].lease->seize(two));
        ++outcomes[std::string(name(a)) + "/" + name(b)];
        bool const both = a == answer::yes && b == answer::yes;
        REQUIRE_FALSE(both);
        bool const by_one = table.state() == "one/8/" + std::to_string(round + 1);
        bool const by_two = table.state() == "two/8/" + std::to_string(round + 1);
        CHECK(by_one != by_two);
        CHECK((a != answer::yes || by_one));
        CHECK((b != answer::yes || by_two));
        CHECK((a != answer::no || by_two));
        CHECK((b != answer::no || by_one));
    }
    std::printf("seizures of the same row at two nodes: %s\n", counted(outcomes).c_str());
}

TEST_CASE("a renewal at one node and a seizure at another never both succeed")
{
    cluster_bench table;
    std::map<std::string, int> outcomes;
    for (int round = 0; round < 400; ++round) {
        // Dated so that some renewals come in time and some seizures do.
        auto const age = duration{1'000'000 - (round % 40) * 500};
        table.arrange("holder", 7, round, 1s, age);
        lease::seizure const bid{"thief", "", 3s, 7, round, 8};
        auto const [renewed, seized] =
            together(table.nodes[0].lease->renew("holder", 7), table.nodes[1].lease->seize(bid));
        ++outcomes[std::string("renewal ") + name(renewed) + ", seizure " + name(seized)];
        bool const both = renewed == answer::yes && seized == answer::yes;
        REQUIRE_FALSE(both);
        auto const state = table.state();
        auto const next = std::to_string(round + 1);
        if (renewed == answer::yes)
            CHECK(state == "holder/7/" + next);
        if (seized == answer::yes)
            CHECK(state == "thief/8/" + next);
    }
    std::printf("renewal and seizure at two nodes: %s\n", counted(outcomes).c_str());
}

TEST_CASE("a seizure that is based on an outdated row fails at every node")
{
    cluster_bench table;
    for (int round = 0; round < 300; ++round) {
        // The release comes back when it is certified; the other node may not have applied it yet.
        table.arrange("holder", 7, round, 1s, 2s);
        lease::seizure const late{"late", "", 3s, 7, round, 8};
        REQUIRE(alone(table.nodes[0].lease->release("holder", 7)) == answer::yes);
        REQUIRE(alone(table.nodes[1].lease->seize(late)) != answer::yes);
        REQUIRE(table.state() == "-/7/" + std::to_string(round + 1));
    }
}

TEST_CASE("a transaction that touched the fence cannot commit after another node has raised it")
{
    bool const race = GENERATE(false, true); // with the raise before the commit, or at the same time
    INFO("race: " << race);
    cluster_bench table;
    auto& home = table.home;
    home.exec("CREATE TABLE written (id BIGINT AUTO_INCREMENT PRIMARY KEY, epoch BIGINT) ENGINE=InnoDB");
    auto& stale = *table.nodes[0].own;
    auto& fresh = *table.nodes[1].own;
    storage::ledger old_master(stale, stale);
    storage::ledger new_master(fresh, fresh);
    int in_time = 0;
    for (std::int64_t epoch = 1; epoch <= 50; ++epoch) {
        storage::fence const mine{"master", epoch};
        REQUIRE(wait_for(old_master.raise(mine)));
        std::promise<void> touched;
        std::promise<void> may_commit;
        bool first_try = true;
        auto const work = [&](soci::session& sql) {
            storage::touch_fence(sql, mine);
            statement(sql, "INSERT INTO written (epoch) VALUES (", epoch, ")").execute();
            if (!std::exchange(first_try, false))
                return;
            touched.set_value();
            may_commit.get_future().wait();
        };
        std::int64_t written = 0; // its place among the cluster's transactions
        std::thread other([&] {
            try {
                wait_for(stale.transact(work));
                written = wait_for(stale.run(place_in_order));
            } catch (not_master const&) {
                // It met the raise.
            }
        });
        touched.get_future().wait();
        if (race)
            may_commit.set_value();
        bool const done = raise_at_last(new_master, {"master", epoch + 1});
        auto const raised = wait_for(fresh.run(place_in_order));
        if (!race)
            may_commit.set_value();
        other.join();
        CHECK(done);
        CHECK(written < raised);
        CHECK(home.number("SELECT COUNT(*) FROM written WHERE epoch = " + std::to_string(epoch)) == (written > 0));
        in_time += written > 0;
    }
    if (!race)
        CHECK(in_time == 0);
    std::printf("of 50 transactions that %s, %d committed before it\n",
                race ? "raced with the raise of the fence" : "were open when the fence was raised", in_time);
}

TEST_CASE("a program that starts at one node finds the migrations of another complete")
{
    for (int times = 0; times < 5; ++times) {
        store home(storage::engine::mysql);
        home.exec("SELECT 1"); // the database itself stands on all nodes
        system_time const time;
        auto const here = storage::open_database(home.nodes().front(), {.sessions = 1}, time);
        auto const there = storage::open_database(home.nodes().back(), {.sessions = 1}, time);
        wait_for(storage::migrate(*here, storage::scheduler_tables()));
        CHECK_NOTHROW(wait_for(storage::check_schema(*there, storage::scheduler_tables())));
    }
}

TEST_CASE("a causal session at a lagging node reads the commits of every other node first")
{
    store home(storage::engine::mysql);
    home.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
    home.exec("INSERT INTO t VALUES (1, 0), (2, 0)");
    system_time const time;
    auto const there = storage::open_database(home.nodes().front(), {.sessions = 1, .causal = true}, time);
    auto const read = [&] {
        std::int64_t v = 0;
        wait_for(there->run([&](soci::session& sql) {
            statement(sql).select("v")(" FROM t WHERE id = 1").each([&](storage::row& cells) { v = cells.number(); });
        }));
        return v;
    };
    auto const compare_and_set = [&](char const* text) {
        return wait_for(
            there->run([&](soci::session& sql) { return statement(sql, storage::fragment{text}).execute(); }));
    };
    auto const in_transaction = [&] {
        return wait_for(there->transact([&](soci::session& sql) {
            return statement(sql, "UPDATE t SET v = 20 WHERE id = 2 AND v = 10").execute();
        }));
    };
    CHECK(read() == 0);
    auto const lag = [&](char const* change, auto const& look) {
        auto const held = storage::open_session(home.nodes().front(), {}, time);
        statement(*held, "FLUSH TABLES WITH READ LOCK").execute(); // commits of other nodes wait here
        auto const other = storage::open_session(home.nodes().back(), {}, time);
        statement(*other, storage::fragment{change}).execute();
        auto seen = std::async(std::launch::async, look);
        seen.wait_for(300ms);
        statement(*held, "UNLOCK TABLES").execute();
        return seen.get();
    };
    CHECK(lag("UPDATE t SET v = 1 WHERE id = 1", read) == 1);
    CHECK(lag("UPDATE t SET v = 2 WHERE id = 1",
              [&] { return compare_and_set("UPDATE t SET v = 3 WHERE id = 1 AND v = 2"); }) == 1);
    CHECK(lag("UPDATE t SET v = 10 WHERE id = 2", in_transaction) == 1);
}

TEST_CASE("a transaction that another node's commit rolled back is repeated or fails as its work decides")
{
    struct enough {};
    store home(storage::engine::mysql);
    home.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
    home.exec("INSERT INTO t VALUES (1, 0)");
    auto const here = home.open({.sessions = 1});
    auto const give_up = [&](soci::session& sql) {
        statement(sql, "UPDATE t SET v = 1 WHERE id = 1").execute();
        home.exec("UPDATE t SET v = 2 WHERE id = 1");
        throw enough{};
    };
    CHECK_THROWS_AS(wait_for(here->transact(give_up)), enough);
    CHECK(home.number("SELECT v FROM t") == 2);
}
