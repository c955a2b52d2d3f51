// A master whose database node has lost the majority. The test breaks a cluster of its own.

#include "libs/storage/statement.hpp"
#include "tests/conformance/galera_bench.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <string>

using namespace baton;
using namespace baton::test;

namespace {

storage::location database_at(std::string const& url)
{
    return storage::parse_location(url + "/quorum");
}

// A database node may not have applied the commits of another yet.
void await_schema(std::string const& url, time_source const& time)
{
    auto const database = storage::open_database(storage::parse_location(url + "/mysql"), {.sessions = 1}, time);
    auto const look = [](soci::session& sql) {
        storage::statement(sql, "SET SESSION wsrep_sync_wait = 15").execute();
        storage::statement(sql).select("COUNT(*)")(" FROM quorum.`lock`").each([](storage::row& cells) {
            cells.number();
        });
    };
    wait_for(database->run(look));
}

void make_database(private_galera const& cluster, time_source const& time)
{
    auto const server = storage::open_database(storage::parse_location(cluster.urls().front() + "/mysql"), {}, time);
    auto const create = [](soci::session& sql) { storage::statement(sql, "CREATE DATABASE quorum").execute(); };
    wait_for(server->run(create));
    auto const database = storage::open_database(database_at(cluster.urls().front()), {.sessions = 1}, time);
    wait_for(storage::migrate(*database, storage::scheduler_tables()));
    for (auto const& url : cluster.urls())
        await_schema(url, time);
}

// The answer to the last call.
class asker {
public:
    explicit asker(time_source& time) : time_(time) {}

    // Calls, until `enough` says so of an answer. Each call must end within 5 s: the session's limit, and at the worst
    // that of a new connection. The time it took in seconds, or -1 after 40.
    double until(std::function<bool(answer)> const& enough, std::function<awaitable<bool>()> const& call)
    {
        auto const began = time_.now();
        while (time_.now() - began < 40s) {
            auto const asked = time_.now();
            auto const got = once(call());
            CHECK(time_.now() - asked < 5s);
            if (enough(got))
                return std::chrono::duration<double>(time_.now() - began).count();
        }
        return -1;
    }
    answer once(awaitable<bool> call)
    {
        why_.clear();
        try {
            return wait_for(std::move(call)) ? answer::yes : answer::no;
        } catch (unavailable const& failure) {
            why_ = failure.what();
            return answer::unavailable;
        }
    }
    bool has_no_majority() const { return why_.find("1047") != std::string::npos; }

private:
    time_source& time_;
    std::string why_;
};

std::int64_t connection_of(storage::database& database)
{
    auto const ask = [](soci::session& sql) {
        std::int64_t id = 0;
        storage::statement(sql).select("CONNECTION_ID()").each([&](storage::row& cells) { id = cells.number(); });
        return id;
    };
    return wait_for(database.run(ask));
}

} // namespace

TEST_CASE("a master whose database node lost the majority learns it in bounded time, and resumes with the majority")
{
    private_galera cluster;
    system_time time;
    make_database(cluster, time);
    constexpr unsigned read_limit_s = 2;
    node_bench master(database_at(cluster.urls()[2]), time, read_limit_s);
    wait_for(master.lease->ensure());
    auto const free = wait_for(master.lease->poll());
    lease::seizure const bid{"master", "", 10min, free.epoch, free.renew_seq, free.epoch + 1};
    REQUIRE(wait_for(master.lease->seize(bid)));
    auto const renew = [&] { return master.lease->renew("master", bid.new_epoch); };
    REQUIRE(wait_for(renew()));

    cluster.cut(2);
    asker ask(time);
    auto const hung = ask.until([](answer got) { return got == answer::unavailable; }, renew);
    CHECK(hung >= 0);
    int renewed = 0;
    auto const refused = ask.until(
        [&](answer got) {
            renewed += got == answer::yes;
            return ask.has_no_majority();
        },
        renew);
    CHECK(refused >= 0);
    CHECK(renewed == 0);
    CHECK_THROWS_WITH(wait_for(master.lease->poll()), Catch::Contains("1047"));

    // The others go on meanwhile.
    node_bench other(database_at(cluster.urls()[0]), time, read_limit_s, "other");
    auto const make = [&]() -> awaitable<bool> {
        co_await other.lease->ensure();
        co_return true;
    };
    auto const others = ask.until([](answer got) { return got == answer::yes; }, make);
    CHECK(others >= 0);

    // Another node behind the same address may accept a refused statement, so the session is closed.
    auto const before = connection_of(*master.own);
    CHECK(ask.once(renew()) == answer::unavailable);
    CHECK(ask.has_no_majority());
    CHECK(connection_of(*master.own) != before);

    cluster.heal(2);
    auto const back = ask.until([](answer got) { return got != answer::unavailable; }, renew);
    CHECK(back >= 0);
    CHECK(ask.once(renew()) == answer::yes);
    std::printf("cut off: a call ended after %.2f s, the first 1047 came %.2f s later; renewed %.2f s after healing\n",
                hung, refused, back);
}
