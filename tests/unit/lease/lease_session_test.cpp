// The lease depends neither on the server's defaults nor on other work.

#include "libs/base/process.hpp"
#include "libs/lease/lease.hpp"
#include "tests/support/private_mysql.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

namespace lease_session_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

TEST_CASE("the lease is read at its present state, in UTC and to the microsecond, whatever the server's defaults are")
{
    private_mysql server;
    auto const root = storage::parse_location(server.url() + "/mysql");
    system_time time;
    auto const plain = storage::open_database(root, {.sessions = 1}, time);
    wait_for(plain->run([](soci::session& sql) {
        sql << "CREATE DATABASE lease_defaults";
        sql << "SET GLOBAL autocommit = 0";
        sql << "SET GLOBAL time_zone = '+05:00'";
        sql << "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        sql << "SET GLOBAL wait_timeout = 28800";
    }));
    auto const where = storage::parse_location(server.url() + "/lease_defaults");
    auto const of_a = storage::open_database(where, {.sessions = 1}, time);
    auto const of_b = storage::open_database(where, {.sessions = 1}, time);
    wait_for(storage::migrate(*of_a, storage::scheduler_tables()));
    auto const a = lease::make_clocked_lease(*of_a, "master");
    auto const b = lease::make_clocked_lease(*of_b, "master");
    wait_for(a->ensure());
    wait_for(b->ensure());
    REQUIRE(wait_for(b->poll()).renew_seq == 0); // a transaction that was left open would see this for ever
    lease::seizure const bid{"a", "", 3s, 1, 0, 2};
    REQUIRE(wait_for(a->seize(bid)));
    for (int renewals = 1; renewals <= 5; ++renewals) {
        REQUIRE(wait_for(a->renew("a", 2)));
        auto const row = wait_for(b->poll());
        CHECK(row.renew_seq == 1 + renewals);
        CHECK(row.age < 2s);
        CHECK(row.age >= 0s);
        auto const away = row.utc - time.utc();
        CHECK(away < 2s);
        CHECK(away > -2s);
    }
    lease::seizure const late{"b", "", 3s, 2, 6, 3};
    CHECK_FALSE(wait_for(b->seize(late)));
}

TEST_CASE("a renewal waits neither for the sessions of other work nor for an open transaction of the master")
{
    store home(engine::mysql);
    home.migrated();
    auto const shared = home.open({.sessions = 1});
    auto const deciding = home.open({.sessions = 1});
    auto const own = home.open({.sessions = 1});
    auto const lease = lease::make_clocked_lease(*own, "master");
    wait_for(lease->ensure());
    lease::seizure const bid{"a", "", 60s, 1, 0, 2};
    REQUIRE(wait_for(lease->seize(bid)));
    home.exec("INSERT INTO lock_fence (namespace, epoch) VALUES ('master', 2)");

    std::vector<std::string> ended;
    asio::io_context loop;
    auto const busy = [](soci::session& sql) { sql << "DO SLEEP(1.5)"; };
    auto const deciding_long = [](soci::session& sql) {
        sql << "UPDATE lock_fence SET touched = touched + 1 WHERE namespace = 'master' AND epoch = 2";
        sql << "DO SLEEP(1.5)";
    };
    asio::co_spawn(loop, shared->run(busy), [&](std::exception_ptr) { ended.emplace_back("other work"); });
    asio::co_spawn(loop, deciding->transact(deciding_long),
                   [&](std::exception_ptr) { ended.emplace_back("decision"); });
    bool renewed = false;
    asio::co_spawn(loop, lease->renew("a", 2), [&](std::exception_ptr failure, bool ours) {
        renewed = !failure && ours;
        ended.emplace_back("renewal");
    });
    loop.run();
    CHECK(renewed);
    REQUIRE(ended.size() == 3);
    CHECK(ended.front() == "renewal");
}

TEST_CASE("incarnations differ even with the same host, process id and boot")
{
    seeded_random random(entropy());
    CHECK(make_incarnation("host", 7, "boot", random) != make_incarnation("host", 7, "boot", random));
    CHECK(make_incarnation(std::string(300, 'h'), 7, boot_id(), random).size() <= 128); // as long as the column
}

} // namespace lease_session_test
