// One table of (state of the lock row and of the lock, statement, rows matched) for every implementation of the guard.

#include "libs/base/asio.hpp"
#include "libs/lease/lease.hpp"
#include "libs/sim/sim.hpp"
#include "tests/support/stores.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <map>

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

enum class kind { mariadb, simulated, file };

// A server or a file, some nodes with a guard each, and the lock row.
class bench {
public:
    explicit bench(kind which) : which_(which)
    {
        if (which == kind::simulated) {
            stage_.emplace(7);
            stage_->make_tables();
            host_ = &stage_->add_host("host");
        } else {
            home_.emplace(which == kind::mariadb ? engine::mysql : engine::sqlite);
            home_->migrated(which == kind::mariadb ? storage::scheduler_tables() : storage::lease_tables());
        }
    }
    ~bench()
    {
        nodes_.clear();
        if (stage_)
            stage_->end();
    }

    template <class Result>
    Result run(awaitable<Result> part)
    {
        if (!stage_)
            return wait_for(std::move(part));
        if constexpr (std::is_void_v<Result>) {
            stage_->play(std::move(part));
        } else {
            std::optional<Result> result;
            auto keep = [](awaitable<Result> what, std::optional<Result>& into) -> awaitable<void> {
                into.emplace(co_await std::move(what));
            };
            stage_->play(keep(std::move(part), result));
            return *result;
        }
    }

    lease::guard_store& guard(std::string const& who) { return *node(who).guard; }
    lease::lease_store& lease() { return *node("lease").lease; }
    lease::lease_row row() { return run(lease().poll()); }

    // The lease is `owner`'s under epoch 7, renewed just now and not armed.
    void arrange(std::string const& owner)
    {
        run(lease().ensure());
        exec("UPDATE `lock` SET owner = NULL, version = 6, renew_seq = 40, guard_conn = 0, guard_server = '', "
             "guard_us = 0");
        lease::seizure const bid{owner, "http://" + owner, 3s, 6, 40, 7};
        REQUIRE(run(lease().seize(bid)));
    }
    // The same, and `owner` has armed it and then lost the lock.
    void arrange_armed(std::string const& owner)
    {
        arrange(owner);
        auto const grant = run(guard(owner).take(0s));
        REQUIRE(grant != 0);
        REQUIRE(run(guard(owner).arm(owner, 7, 300ms, grant)));
        run(guard(owner).drop());
    }

    void exec(std::string const& sql)
    {
        if (home_) {
            home_->exec(sql);
            return;
        }
        stage_->database.inspect([&](soci::session& session) { session << sql; });
    }
    bool is(kind which) const { return which_ == which; }

    // Waits for the lock until the wait is interrupted. An interruption may come too early, so it is repeated.
    std::int64_t take_interrupted(std::string const& who)
    {
        using namespace asio::experimental::awaitable_operators;
        time_source& time = stage_ ? static_cast<time_source&>(stage_->time) : time_;
        bool ended = false;
        auto const wait = [&]() -> awaitable<std::int64_t> {
            auto const grant = co_await guard(who).take(9s);
            ended = true;
            co_return grant;
        };
        auto const interrupt = [&]() -> awaitable<void> {
            while (!ended) {
                co_await time.sleep_for(50ms);
                co_await guard(who).interrupt();
            }
        };
        return run(wait() && interrupt());
    }

private:
    struct machine {
        std::unique_ptr<storage::database> own;
        std::unique_ptr<storage::database> other;
        std::unique_ptr<lease::lease_store> lease;
        std::unique_ptr<lease::guard_store> guard;
    };

    std::unique_ptr<storage::database> connect()
    {
        if (stage_)
            return stage_->database.connect(*host_, {.sessions = 1, .read_limit = 5s, .idle_limit = 0s});
        return home_->open({.sessions = 1, .lock_wait_s = 1});
    }

    machine& node(std::string const& who)
    {
        auto& made = nodes_[who];
        if (made.guard)
            return made;
        made.own = connect();
        made.other = connect();
        if (which_ == kind::file) {
            made.lease = lease::make_boot_lease(*made.own, "master", time_, "boot");
            made.guard = lease::make_file_guard(*made.own, *made.lease, "master", home_->where().name + ".leader",
                                                time_, "boot");
        } else {
            made.lease = lease::make_clocked_lease(*made.own, "master");
            made.guard = lease::make_named_guard(*made.own, *made.other, "master");
        }
        return made;
    }

    kind which_;
    system_time time_;
    std::optional<store> home_;
    std::optional<sim::stage> stage_;
    sim::host* host_ = nullptr;
    std::map<std::string, machine> nodes_;
};

lease::seizure bid_of(std::string const& who, std::int64_t seen = 7, std::int64_t next = 8)
{
    return {who, "http://" + who, 5s, seen, 0, next};
}

} // namespace

TEST_CASE("the guard's lock is held by one node at a time until that node drops it")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    auto const grant = b.run(b.guard("a").take(0s));
    REQUIRE(grant != 0);
    CHECK(b.run(b.guard("b").take(0s)) == 0);
    CHECK(b.run(b.guard("a").held(grant)));
    CHECK_FALSE(b.run(b.guard("a").held(grant + 1)));
    CHECK_FALSE(b.run(b.guard("b").held(grant)));
    b.run(b.guard("a").drop());
    CHECK_FALSE(b.run(b.guard("a").held(grant)));
    auto const next = b.run(b.guard("b").take(0s));
    CHECK(next != 0);
    CHECK(b.run(b.guard("b").held(next)));
}

TEST_CASE("an interrupted wait for the guard's lock ends at once without a grant, and the node can wait again")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    REQUIRE(b.run(b.guard("a").take(0s)) != 0);
    b.guard("b");
    system_time time;
    auto const since = time.now();
    CHECK(b.take_interrupted("b") == 0);
    CHECK(time.now() - since < 5s);
    b.run(b.guard("a").drop());
    CHECK(b.run(b.guard("b").take(0s)) != 0);
}

TEST_CASE("a lease that an earlier version armed under its own name for the lock is not seized before it expires")
{
    bench b(kind::mariadb);
    b.arrange_armed("a");
    b.exec("UPDATE `lock` SET guard_server = SHA2(CONCAT_WS(':', /*!50700 @@global.server_uuid *//*M! "
           "@@global.server_uid */, @@global.hostname, @@global.port, @@global.server_id), 256)");
    auto const grant = b.run(b.guard("b").take(0s));
    REQUIRE(grant != 0);
    CHECK_FALSE(b.run(b.guard("b").poll()).armed_here);
    CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b"), 300ms, grant)));
    CHECK(b.row().owner == "a");
}

TEST_CASE("a lock that was granted twice after a lost answer is dropped at once")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    b.run(b.guard("a").take(0s));
    REQUIRE(b.run(b.guard("a").take(0s)) != 0);
    b.run(b.guard("a").drop());
    CHECK(b.run(b.guard("b").take(0s)) != 0);
}

TEST_CASE("a node sees whether another session holds the lock, and can end that session")
{
    bench b(GENERATE(kind::mariadb, kind::simulated));
    CHECK_FALSE(b.run(b.guard("b").held_elsewhere(0)));
    auto const grant = b.run(b.guard("a").take(0s));
    CHECK(b.run(b.guard("b").held_elsewhere(0)));
    CHECK_FALSE(b.run(b.guard("b").held_elsewhere(grant)));
    b.run(b.guard("b").evict());
    CHECK(b.run(b.guard("b").take(2s)) != 0);
}

TEST_CASE("only the lease's holder can arm it, under its epoch and while it holds the lock")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    struct {
        std::string what;
        std::string owner;    // of the lease, under epoch 7
        std::string holder;   // of the lock
        std::int64_t epoch;   // that a claims
        std::int64_t another; // added to a's grant
        bool armed;
    } const rows[] = {
        {"lease and lock are its own", "a", "a", 7, 0, true},
        {"the lock is another's", "a", "b", 7, 0, false},
        {"the lease is another's", "b", "a", 7, 0, false},
        {"an earlier epoch", "a", "a", 6, 0, false},
        {"a later epoch", "a", "a", 8, 0, false},
        {"another grant", "a", "a", 7, 1, false},
    };
    for (auto const& row : rows) {
        INFO(row.what);
        b.arrange(row.owner);
        auto const grant = b.run(b.guard(row.holder).take(0s));
        REQUIRE(grant != 0);
        CHECK(b.run(b.guard("a").arm("a", row.epoch, 300ms, grant + row.another)) == row.armed);
        auto const after = b.row();
        CHECK((after.guard_conn != 0) == row.armed);
        CHECK(after.guard_server.empty() != row.armed);
        CHECK(after.owner == row.owner);
        CHECK(after.epoch == 7);
        if (row.armed)
            CHECK(after.guard == (b.is(kind::file) ? 0us : 300ms));
        b.run(b.guard(row.holder).drop());
    }
}

TEST_CASE("an armed lease can be seized before it expires only under the lock, on the same server, as it was armed")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    struct {
        std::string what;
        std::string change;   // of the row, after a has armed it
        std::string holder;   // of the lock
        std::int64_t seen;    // the epoch that b has read
        std::int64_t next;    // that it bids for
        std::int64_t another; // added to the grant
        bool seized;
    } const rows[] = {
        {"armed by a, whose session has ended", "", "b", 7, 8, 0, true},
        {"renewed since it was read", "renew_seq = renew_seq + 5", "b", 7, 8, 0, true},
        {"the epoch may leap", "", "b", 7, 1'700'000'000'000, 0, true},
        {"not armed", "guard_conn = 0, guard_server = ''", "b", 7, 8, 0, false},
        {"armed on another server", "guard_server = 'elsewhere'", "b", 7, 8, 0, false},
        {"another epoch", "version = 8", "b", 7, 9, 0, false},
        {"the epoch would not rise", "", "b", 7, 7, 0, false},
        {"the lock is another's", "", "c", 7, 8, 0, false},
        {"another grant", "", "b", 7, 8, 1, false},
    };
    for (auto const& row : rows) {
        INFO(row.what);
        b.arrange_armed("a");
        if (!row.change.empty())
            b.exec("UPDATE `lock` SET " + row.change);
        auto const grant = b.run(b.guard(row.holder).take(0s));
        REQUIRE(grant != 0);
        CHECK(b.run(b.guard("b").seize(bid_of("b", row.seen, row.next), 200ms, grant + row.another)) == row.seized);
        auto const after = b.row();
        CHECK(after.owner == (row.seized ? "b" : "a"));
        if (row.seized) {
            CHECK(after.epoch == row.next);
            CHECK(after.ttl == 5s);
            CHECK(after.age < 2s);
            CHECK(after.guard == (b.is(kind::file) ? 0us : 200ms));
            CHECK(b.run(b.guard("b").poll()).armed_here);
            CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b", row.seen, row.next), 200ms, grant)));
        }
        b.run(b.guard(row.holder).drop());
    }
}

TEST_CASE("a node cannot seize a lease that it armed itself, or that was released or disarmed")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    b.arrange_armed("b");
    auto const grant = b.run(b.guard("b").take(0s));
    CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b"), 300ms, grant)));

    b.run(b.guard("b").drop());
    b.arrange_armed("a");
    CHECK_FALSE(b.run(b.guard("b").disarm("b", 7)));
    CHECK_FALSE(b.run(b.guard("b").disarm("a", 6)));
    CHECK(b.run(b.guard("b").poll()).armed_here == !b.is(kind::file)); // a file is known by its lock
    auto const again = b.run(b.guard("b").take(0s));
    CHECK(b.run(b.guard("b").poll()).armed_here);
    CHECK(b.run(b.guard("a").disarm("a", 7)));
    CHECK_FALSE(b.run(b.guard("b").poll()).armed_here);
    CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b"), 300ms, again)));

    b.run(b.guard("b").drop());
    b.arrange_armed("a");
    CHECK(b.run(b.lease().release("a", 7)));
    auto const last = b.run(b.guard("b").take(0s));
    CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b"), 300ms, last)));
    CHECK(b.row().guard_conn == 0);
}

TEST_CASE("a session with the dead master's session number, from before a restart of the server, can seize its lease")
{
    bench b(GENERATE(kind::mariadb, kind::simulated));
    b.arrange_armed("a");
    auto const grant = b.run(b.guard("b").take(0s));
    b.exec("UPDATE `lock` SET guard_conn = " + std::to_string(grant));
    CHECK(b.run(b.guard("b").seize(bid_of("b"), 300ms, grant)));
}

TEST_CASE("a seizure of an expired lease removes the guard's mark of the previous holder")
{
    bench b(GENERATE(kind::mariadb, kind::simulated, kind::file));
    b.arrange_armed("a");
    CHECK(b.run(b.lease().release("a", 7)));
    auto const free = b.row();
    CHECK(b.run(b.lease().seize({"b", "", 3s, free.epoch, free.renew_seq, 8})));
    CHECK(b.row().guard_conn == 0);
    CHECK(b.row().guard == 0s);
}

TEST_CASE("a lock on another file of the same name does not allow a seizure")
{
    bench b(kind::file);
    b.arrange_armed("a");
    b.exec("UPDATE `lock` SET guard_server = 'boot:1:2'");
    auto const grant = b.run(b.guard("b").take(0s));
    CHECK_FALSE(b.run(b.guard("b").poll()).armed_here);
    CHECK_FALSE(b.run(b.guard("b").seize(bid_of("b"), 0s, grant)));
}
