// One table of (state of the lock row, statement, rows matched) for every implementation of the lease.

#include "libs/lease/lease.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

enum class kind { mariadb, sqlite_clocked, sqlite_boot };

// Boot time that a test sets by hand.
class still_time final : public time_source {
public:
    instant now() const override { return now_; }
    utc_time utc() const override { return system_time().utc(); }
    awaitable<void> sleep_until(instant) override { co_return; }

    instant now_{duration{1'000'000'000}};
};

constexpr char boot[] = "0123456789abcdef0123456789abcdef";

// One lock row, arranged and read by plain SQL beside the store under test.
class bench {
public:
    explicit bench(kind which)
        : which_(which),
          home_(which == kind::mariadb ? engine::mysql : engine::sqlite),
          own_(home_.migrated(which == kind::mariadb ? storage::scheduler_tables() : storage::lease_tables())
                   .open({.sessions = 1, .lock_wait_s = 1})),
          lease(which == kind::sqlite_boot ? lease::make_boot_lease(*own_, "master", time_, boot)
                                           : lease::make_clocked_lease(*own_, "master"))
    {}

    // `age`: how long ago the row was renewed, by the clock of the store.
    void arrange(std::string const& owner, int version, int seq, duration ttl, duration age)
    {
        home_.exec("DELETE FROM `lock`");
        auto const boot_column = which_ == kind::mariadb ? "" : ", boot";
        auto const boot_value = which_ == kind::mariadb ? "" : std::string(", '") + boot + "'";
        home_.exec("INSERT INTO `lock` (namespace, owner, version, create_time, update_time, renew_seq, ttl_us, "
                   "guard_conn, guard_server" +
                   std::string(boot_column) + ") VALUES ('master', " + (owner.empty() ? "NULL" : "'" + owner + "'") +
                   ", " + std::to_string(version) + ", " + moment(duration{}) + ", " + moment(age) + ", " +
                   std::to_string(seq) + ", " + std::to_string(ttl.count()) + ", 77, 'server'" + boot_value + ")");
    }

    std::string state() // owner/version/renew_seq
    {
        auto const sign = which_ == kind::mariadb ? "CONCAT(COALESCE(owner, '-'), '/', version, '/', renew_seq)"
                                                  : "COALESCE(owner, '-') || '/' || version || '/' || renew_seq";
        return home_.text(std::string("SELECT ") + sign + " FROM `lock` WHERE namespace = 'master'");
    }
    std::string guard()
    {
        auto const sign =
            which_ == kind::mariadb ? "CONCAT(guard_conn, '/', guard_server)" : "guard_conn || '/' || guard_server";
        return home_.text(std::string("SELECT ") + sign + " FROM `lock`");
    }
    store& home() { return home_; }

private:
    std::string moment(duration age) const
    {
        if (which_ == kind::mariadb)
            return "UTC_TIMESTAMP(6) - INTERVAL (" + std::to_string(age.count()) + ") MICROSECOND";
        if (which_ == kind::sqlite_clocked)
            return std::to_string(to_micros(system_time().utc()) - age.count());
        return std::to_string((time_.now_.time_since_epoch() - age).count());
    }

    kind which_;
    still_time time_;
    store home_;
    std::unique_ptr<storage::database> own_;

public:
    std::unique_ptr<lease::lease_store> lease;
};

struct seize_row {
    std::string what;
    std::string owner;
    duration age;
    int seen_epoch;
    int seen_seq;
    std::int64_t new_epoch;
    bool matched;
};

struct holder_row {
    std::string what;
    std::string owner;
    duration age;
    std::string by;
    int epoch;
    bool renews;
    bool releases;
};

} // namespace

TEST_CASE("a missing lock row is inserted once, with version 1 and no owner")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    CHECK_THROWS_AS(wait_for(table.lease->poll()), unavailable);
    wait_for(table.lease->ensure());
    wait_for(table.lease->ensure());
    CHECK(table.state() == "-/1/0");
    auto const row = wait_for(table.lease->poll());
    CHECK_FALSE(row.owner);
    CHECK(row.epoch == 1);
    CHECK(row.renew_seq == 0);
    CHECK(row.expired);
}

TEST_CASE("a seizure takes only a free or expired row that is as it was read")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    seize_row const rows[] = {
        {"free", "", 0s, 7, 40, 8, true},
        {"free, fresh or not", "", -1h, 7, 40, 8, true},
        {"expired", "other", 3s, 7, 40, 8, true},
        {"long expired", "other", 24h, 7, 40, 8, true},
        {"held", "other", 0s, 7, 40, 8, false},
        {"held, nearly expired", "other", 2s, 7, 40, 8, false},
        {"expired by a hair", "other", 3s + 1us, 7, 40, 8, true},
        {"dated in the future", "other", -1h, 7, 40, 8, false},
        {"another epoch was seen", "", 0s, 6, 40, 8, false},
        {"a renewal was not seen", "other", 3s, 7, 39, 8, false},
        {"the epoch would not rise", "", 0s, 7, 40, 7, false},
        {"the epoch would fall", "", 0s, 7, 40, 6, false},
        {"the epoch may leap", "", 0s, 7, 40, 1'700'000'000'000'000, true},
    };
    for (auto const& row : rows) {
        INFO(row.what);
        table.arrange(row.owner, 7, 40, 3s, row.age);
        lease::seizure const bid{"me", "http://me", 5s, row.seen_epoch, row.seen_seq, row.new_epoch};
        CHECK(wait_for(table.lease->seize(bid)) == row.matched);
        if (row.matched) {
            CHECK(table.state() == "me/" + std::to_string(bid.new_epoch) + "/41");
            CHECK(table.guard() == "0/");
            auto const after = wait_for(table.lease->poll());
            CHECK(after.ttl == 5s);
            CHECK(after.owner_addr == "http://me");
            CHECK_FALSE(after.expired);
            CHECK_FALSE(wait_for(table.lease->seize(bid)));
        } else {
            CHECK(table.state() == (row.owner.empty() ? "-" : row.owner) + std::string("/7/40"));
            CHECK(table.guard() == "77/server");
        }
    }
}

TEST_CASE("only the holder renews and releases, under its epoch, and renews only before the lease expires")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    holder_row const rows[] = {
        {"held", "me", 0s, "me", 7, true, true},
        {"held, nearly expired", "me", 2s, "me", 7, true, true},
        {"dated in the future", "me", -1h, "me", 7, true, true},
        {"expired", "me", 3s, "me", 7, false, true},
        {"another's", "other", 0s, "me", 7, false, false},
        {"my earlier epoch", "me", 0s, "me", 6, false, false},
        {"a later epoch", "me", 0s, "me", 8, false, false},
        {"free", "", 0s, "me", 7, false, false},
        {"my name in other letters", "me", 0s, "ME", 7, false, false},
    };
    for (auto const& row : rows) {
        INFO(row.what);
        std::string const before = (row.owner.empty() ? "-" : row.owner) + std::string("/7/40");
        table.arrange(row.owner, 7, 40, 3s, row.age);
        CHECK(wait_for(table.lease->renew(row.by, row.epoch)) == row.renews);
        CHECK(table.state() == (row.renews ? "me/7/41" : before));
        CHECK(table.guard() == "77/server");
        if (row.renews) {
            auto const age = wait_for(table.lease->poll()).age;
            CHECK(age >= 0s);
            CHECK(age < 2s);
        }

        table.arrange(row.owner, 7, 40, 3s, row.age);
        CHECK(wait_for(table.lease->release(row.by, row.epoch)) == row.releases);
        CHECK(table.state() == (row.releases ? "-/7/41" : before));
        CHECK(table.guard() == (row.releases ? "0/" : "77/server"));
    }
}

TEST_CASE("polling returns the whole row, its age by the database's clock, and whether it has expired")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    table.arrange("other", 7, 40, 3s, 1s);
    auto const row = wait_for(table.lease->poll());
    CHECK(row.owner == "other");
    CHECK(row.epoch == 7);
    CHECK(row.renew_seq == 40);
    CHECK(row.ttl == 3s);
    CHECK(row.guard_conn == 77);
    CHECK(row.guard_server == "server");
    CHECK(row.age >= 1s);
    CHECK(row.age < 3s);
    CHECK_FALSE(row.expired);
    auto const distance = row.utc - system_time().utc();
    CHECK(distance < 1s);
    CHECK(distance > -5s);

    table.arrange("other", 7, 40, 3s, 3s);
    CHECK(wait_for(table.lease->poll()).expired);
    table.arrange("other", 7, 40, 3s, -1h);
    auto const future = wait_for(table.lease->poll());
    CHECK(future.age < 0s);
    CHECK_FALSE(future.expired);
}

TEST_CASE("a seizure that is executed after a renewal or another seizure changes nothing")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    table.arrange("other", 7, 40, 3s, 0s);
    lease::seizure const bid{"me", "", 3s, 7, 40, 8};
    CHECK(wait_for(table.lease->renew("other", 7)));
    CHECK_FALSE(wait_for(table.lease->seize(bid)));
    table.arrange("other", 7, 40, 3s, 9s);
    CHECK(wait_for(table.lease->seize(bid)));
    lease::seizure const late{"third", "", 3s, 7, 40, 8};
    CHECK_FALSE(wait_for(table.lease->seize(late)));
    CHECK_FALSE(wait_for(table.lease->renew("other", 7)));
    CHECK_FALSE(wait_for(table.lease->release("other", 7)));
    CHECK(table.state() == "me/8/41");
}

TEST_CASE("after a reboot a row of the previous boot can be seized, however fresh it looks")
{
    bench table(kind::sqlite_boot);
    table.arrange("other", 7, 40, 3s, 0s);
    table.home().exec("UPDATE `lock` SET boot = 'ffffffffffffffffffffffffffffffff'");
    CHECK(wait_for(table.lease->poll()).expired);
    CHECK_FALSE(wait_for(table.lease->renew("other", 7)));
    lease::seizure const bid{"me", "", 3s, 7, 40, 8};
    CHECK(wait_for(table.lease->seize(bid)));
    CHECK(wait_for(table.lease->renew("me", 8)));
}

TEST_CASE("names with quotes, colons and letters beyond ASCII are data to every statement")
{
    bench table(GENERATE(kind::mariadb, kind::sqlite_clocked, kind::sqlite_boot));
    table.arrange("", 1, 0, 3s, 0s);
    std::string const name = "host'; DROP TABLE `lock`; --:v:12:\\";
    lease::seizure const bid{name, "http://[::1]:80/'\"\xc3\xa9", 3s, 1, 0, 2};
    CHECK(wait_for(table.lease->seize(bid)));
    CHECK(wait_for(table.lease->poll()).owner == name);
    CHECK(wait_for(table.lease->poll()).owner_addr == bid.address);
    CHECK(wait_for(table.lease->renew(name, 2)));
    CHECK(wait_for(table.lease->release(name, 2)));
}
