// What every kind of lock by name promises, on the real stores and through the public headers alone.

#include "libs/base/random.hpp"
#include "tests/support/lock_urls.hpp"
#include "tests/support/stores.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <baton/lock/async.hpp>
#include <baton/lock/store.hpp>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <thread>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;
namespace locks = baton::lock;

namespace {

enum class kind_name { record, classic, lease, row, redis, redlock, redis_sentinel, redis_cluster, zookeeper };

struct place {
    std::optional<storage::engine> engine; // none: a server of the test run that is no database
    kind_name kind;
};

std::optional<std::string> server_url(kind_name kind)
{
    static std::map<kind_name, char const*> const variables{{kind_name::redis, "BATON_TEST_REDIS"},
                                                            {kind_name::redlock, "BATON_TEST_REDLOCK"},
                                                            {kind_name::redis_sentinel, "BATON_TEST_REDIS_SENTINEL"},
                                                            {kind_name::redis_cluster, "BATON_TEST_REDIS_CLUSTER"},
                                                            {kind_name::zookeeper, "BATON_TEST_ZOOKEEPER"}};
    return lock_server(variables.at(kind));
}

// A row lock needs a server, and one that is alone. Without `all_kinds` those that keep a row in a table of their own.
std::vector<place> places(bool all_kinds = true)
{
    using storage::engine;
    std::vector<place> all{{engine::mysql, kind_name::record},
                           {engine::mysql, kind_name::lease},
                           {engine::sqlite, kind_name::record},
                           {engine::sqlite, kind_name::lease}};
    if (all_kinds)
        all.insert(all.end(), {{engine::mysql, kind_name::classic}, {engine::sqlite, kind_name::classic}});
    if (!all_kinds || store(engine::mysql).nodes().size() > 1)
        return all;
    all.push_back({engine::mysql, kind_name::row});
    for (auto const kind : {kind_name::redis, kind_name::redlock, kind_name::redis_sentinel, kind_name::redis_cluster,
                            kind_name::zookeeper})
        if (server_url(kind))
            all.push_back({std::nullopt, kind});
    return all;
}

// A store, and as many processes' views of it as a test likes. In a cluster each second view is of another node.
class house {
public:
    explicit house(bool all_kinds = true) : house(GENERATE_COPY(from_range(places(all_kinds)))) {}
    explicit house(place where) : kind(where.kind)
    {
        if (where.engine)
            home.emplace(*where.engine);
        else
            prefix = secret_hex(8) + ":"; // the server is not this test's alone
        enter().create_tables();
    }

    locks::store& enter()
    {
        locks::store_options how;
        how.zookeeper_session = 2s;
        return *views.emplace_back(std::make_unique<locks::store>(url(), how));
    }
    std::string url() const
    {
        return home ? lock_url(home->nodes()[views.size() % home->nodes().size()]) : server_url(kind).value();
    }

    named_lock make(locks::store& in, std::string name = "stock", lock_options how = {}) const
    {
        name.insert(0, prefix);
        switch (kind) {
        case kind_name::record:
            return in.record(std::move(name), std::move(how));
        case kind_name::classic:
            return in.record_classic(std::move(name), std::move(how));
        case kind_name::lease:
            return in.lease(std::move(name), std::move(how));
        case kind_name::zookeeper:
            return in.zookeeper(std::move(name), std::move(how));
        case kind_name::row:
            return in.row(std::move(name), std::move(how));
        default:
            return in.redis(std::move(name), std::move(how));
        }
    }
    named_lock make(std::string name = "stock", lock_options how = {})
    {
        return make(enter(), std::move(name), std::move(how));
    }

    bool has_tokens() const { return kind != kind_name::row && kind != kind_name::redlock; }
    bool on_redis() const { return kind >= kind_name::redis && kind <= kind_name::redis_cluster; }
    locks::guarantee level() const
    {
        if (on_redis())
            return locks::guarantee::efficiency;
        return kind == kind_name::row ? locks::guarantee::lease : locks::guarantee::fenced;
    }
    char const* table() const { return kind == kind_name::record ? "lock_record" : "lock_lease"; }
    char const* name() const
    {
        switch (kind) {
        case kind_name::record:
            return "record";
        case kind_name::classic:
            return "classic";
        case kind_name::lease:
            return "lease";
        case kind_name::row:
            return "row";
        case kind_name::redis:
        case kind_name::redis_sentinel:
        case kind_name::redis_cluster:
            return "redis";
        case kind_name::redlock:
            return "redlock";
        default:
            return "zookeeper";
        }
    }

    // Those who sleep in the server for a lock of this store.
    std::int64_t sleepers()
    {
        std::string const manner =
            kind == kind_name::row ? "info LIKE 'SELECT name FROM lock_row%FOR UPDATE'" : "state = 'User lock'";
        return home->number("SELECT COUNT(*) FROM information_schema.processlist WHERE db = '" + home->where().name +
                            "' AND " + manner);
    }
    void await_sleepers(std::int64_t number)
    {
        for (auto const until = system_time().now() + 30s; sleepers() != number && system_time().now() < until;)
            std::this_thread::yield();
        REQUIRE(sleepers() == number);
    }

    std::optional<store> home;
    std::string prefix; // of all names
    kind_name kind;
    std::vector<std::unique_ptr<locks::store>> views;
};

lock_options short_lived(bool watchdog = false)
{
    lock_options how;
    how.ttl = 1s;
    how.watchdog = watchdog;
    return how;
}

void await_loss(named_lock& of)
{
    std::promise<void> lost;
    std::stop_callback const told(of.lost(), [&] { lost.set_value(); });
    REQUIRE(lost.get_future().wait_for(10s) == std::future_status::ready);
}

lock_errc failure_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (std::system_error const& failure) {
        REQUIRE(failure.code().category() == locks::lock_category());
        return static_cast<lock_errc>(failure.code().value());
    }
    return {};
}

} // namespace

TEST_CASE("one holds it, others are refused, and each holder's token is higher than those before")
{
    house here;
    auto first = here.make();
    auto second = here.make();
    REQUIRE(first.try_lock());
    CHECK(first.valid());
    CHECK(first.level() == here.level());
    auto const token = first.token();
    CHECK((token > 0) == here.has_tokens());
    CHECK_FALSE(second.try_lock());
    CHECK(second.token() == 0);
    CHECK_FALSE(second.valid());
    CHECK(first.unlock() == release_result::released);
    CHECK_FALSE(first.valid());
    REQUIRE(second.try_lock());
    CHECK((second.token() > token) == here.has_tokens());
    CHECK_FALSE(first.try_lock_for(20ms));
    CHECK(second.unlock() == release_result::released);
}

TEST_CASE("a name is no other name, and of one kind no name of another")
{
    house here;
    auto& in = here.enter();
    auto first = here.make(in, "a");
    auto second = here.make(in, "A");
    auto third = here.make(in, "\xc3\xa4 ' \\ \" %");
    CHECK(first.try_lock());
    CHECK(second.try_lock());
    CHECK(third.try_lock());
    if (!here.home)
        return; // there is no other kind
    bool const in_records = here.kind == kind_name::record || here.kind == kind_name::classic;
    auto of_other_kind = in_records ? in.lease("a") : in.record("a"); // in a table of its own
    CHECK(of_other_kind.try_lock());
}

TEST_CASE("whoever does not hold it cannot release it")
{
    house here;
    auto holder = here.make();
    auto other = here.make();
    REQUIRE(holder.try_lock());
    CHECK(other.unlock() == release_result::unknown);
    CHECK_FALSE(other.try_lock());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("without a watchdog it ends with its time: the holder is told, and its release changes nothing")
{
    house here;
    auto late = here.make("stock", short_lived());
    auto next = here.make("stock", short_lived(true));
    auto third = here.make();
    REQUIRE(late.try_lock());
    auto const token = late.token();
    REQUIRE(next.try_lock_for(10s));
    CHECK_FALSE(late.valid());
    CHECK(late.lost().stop_requested());
    CHECK((next.token() > token) == here.has_tokens());
    CHECK(late.unlock() == release_result::was_lost);
    CHECK_FALSE(third.try_lock());
    CHECK(next.unlock() == release_result::released);
}

TEST_CASE("threads that share an object take turns")
{
    house here;
    auto shared = here.make();
    int inside = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 10; ++n) {
                std::unique_lock const held(shared);
                auto const before = inside;
                std::this_thread::yield();
                inside = before + 1;
            }
        });
    for (auto& one : threads)
        one.join();
    CHECK(inside == 40);
}

TEST_CASE("a watchdog keeps it beyond its time")
{
    house here;
    auto holder = here.make("stock", short_lived(true));
    auto other = here.make();
    REQUIRE(holder.try_lock());
    CHECK_FALSE(other.try_lock_for(2500ms));
    CHECK(holder.valid());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("whoever waits has it soon after the release")
{
    house here;
    auto holder = here.make();
    auto waiter = here.make();
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    CHECK(waits.wait_for(100ms) == std::future_status::timeout);
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.get());
}

TEST_CASE("whoever waits for long sleeps in the server, and is woken by the release")
{
    house here(false);
    if (here.home->where().engine == storage::engine::sqlite || here.home->nodes().size() > 1)
        return;
    auto holder = here.make();
    auto waiter = here.make();
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    here.await_sleepers(1);
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.get());
}

TEST_CASE("it serves std::unique_lock and std::scoped_lock, and two of them without a deadlock")
{
    house here;
    auto& one = here.enter();
    auto& other = here.enter();
    auto const take_both = [&](locks::store& in, bool swapped) {
        auto a = here.make(in, "a");
        auto b = here.make(in, "b");
        for (int times = 0; times < 5; ++times) {
            if (swapped)
                std::scoped_lock const both(b, a);
            else
                std::scoped_lock const both(a, b);
        }
    };
    auto second = std::async(std::launch::async, [&] { take_both(other, true); });
    take_both(one, false);
    second.get();
    auto a = here.make(one, "a");
    std::unique_lock const held(a, 5s);
    CHECK(held.owns_lock());
}

TEST_CASE("a reentrant holder may lock it again, and gives it back with the last unlock")
{
    house here;
    lock_options how;
    how.reentrant = true;
    auto holder = here.make("stock", how);
    auto other = here.make();
    holder.lock();
    holder.lock();
    CHECK(holder.unlock() == release_result::released);
    CHECK_FALSE(other.try_lock());
    CHECK(holder.unlock() == release_result::released);
    CHECK(other.try_lock());
}

TEST_CASE("what goes away while it is held is given back")
{
    house here;
    auto waiter = here.make();

    SECTION("the lock")
    {
        auto holder = std::make_unique<named_lock>(here.make());
        REQUIRE(holder->try_lock());
        holder.reset();
    }
    SECTION("the store")
    {
        auto holder = here.make();
        REQUIRE(holder.try_lock());
        auto const lost = holder.lost();
        here.views.pop_back();
        CHECK(lost.stop_requested());
        CHECK_FALSE(holder.valid());
        CHECK(failure_of([&] { holder.lock(); }) == lock_errc::misuse);
    }
    CHECK(waiter.try_lock_for(5s));
}

TEST_CASE("what was lost may outlive its store")
{
    house here;
    auto lost = here.make("stock", short_lived());
    REQUIRE(lost.try_lock());
    await_loss(lost);
    here.views.pop_back();
    CHECK_FALSE(lost.valid());
    CHECK(lost.unlock() == release_result::unknown);
    auto next = here.make();
    CHECK(next.try_lock_for(10s));
}

TEST_CASE("tokens go on where a name was reaped, and what is held stays")
{
    house here(false);
    auto& in = here.enter();
    lock_options long_lived;
    long_lived.ttl = 1h;
    auto held = here.make(in, "held", long_lived);
    auto old = here.make(in, "old");
    REQUIRE(held.try_lock());
    for (int times = 0; times < 3; ++times) {
        REQUIRE(old.try_lock());
        if (times < 2)
            old.unlock();
    }
    auto const token = old.token();
    old.unlock();
    here.home->exec(std::string("UPDATE ") + here.table() + " SET renewed_at = renewed_at - 300000000"); // five minutes
    CHECK(in.reap(3min) == 1);
    CHECK(here.home->number(std::string("SELECT COUNT(*) FROM ") + here.table()) == 1);
    CHECK(old.try_lock());
    CHECK(old.token() > token);
    auto fresh = here.make("fresh");
    REQUIRE(fresh.try_lock());
    CHECK(fresh.token() > token);
}

TEST_CASE(
    "a record and its classic form exclude each other and have one series of tokens, and the classic leaves no row")
{
    house here(place{GENERATE(storage::engine::mysql, storage::engine::sqlite), kind_name::classic});
    auto classic = here.make();
    auto kept = here.enter().record("stock");
    REQUIRE(classic.try_lock());
    CHECK_FALSE(kept.try_lock());
    auto const token = classic.token();
    CHECK(classic.unlock() == release_result::released);
    CHECK(here.home->number("SELECT COUNT(*) FROM lock_record") == 0);
    REQUIRE(kept.try_lock());
    CHECK(kept.token() > token);
    auto const next = kept.token();
    CHECK_FALSE(classic.try_lock());
    kept.unlock();
    REQUIRE(classic.try_lock());
    CHECK(classic.token() > next);
}

TEST_CASE("a step of the database's clock takes a record from its holder, but no lease")
{
    house here(place{storage::engine::mysql, GENERATE(kind_name::record, kind_name::lease)});
    auto holder = here.make("stock", short_lived());
    auto other = here.make();
    REQUIRE(holder.try_lock());
    here.home->exec(std::string("UPDATE ") + here.table() + " SET renewed_at = renewed_at - 3600000000");
    if (here.kind == kind_name::record) {
        CHECK(other.try_lock());
        return;
    }
    CHECK_FALSE(other.try_lock());
    REQUIRE(other.try_lock_for(10s));
    CHECK_FALSE(holder.valid()); // its own time was over first
}

TEST_CASE("without its tables it says what is missing, and does not wait for them")
{
    auto const engine = GENERATE(storage::engine::mysql, storage::engine::sqlite);
    store home(engine);
    locks::store in(lock_url(home.where()));
    auto lock = in.record("stock");
    try {
        lock.lock();
        FAIL("locked");
    } catch (std::system_error const& failure) {
        CHECK(failure.code() == lock_errc::unavailable);
        CHECK_THAT(failure.what(), Catch::Contains("0001_named_locks") && Catch::Contains("create_tables"));
    }
}

TEST_CASE("a row lock is refused where it would not lock")
{
    store file(storage::engine::sqlite);
    locks::store on_file(lock_url(file.where()));
    CHECK_THROWS_AS(on_file.row("stock"), std::invalid_argument);
    store home(storage::engine::mysql);
    locks::store in(lock_url(home.where()));
    in.create_tables();
    auto lock = in.row("stock");
    if (home.nodes().size() > 1)
        CHECK(failure_of([&] { lock.try_lock(); }) == lock_errc::misuse);
    else
        CHECK(lock.try_lock());
}

TEST_CASE("row locks are bounded in number: who comes when all sessions are taken waits for one")
{
    store home(storage::engine::mysql);
    if (home.nodes().size() > 1)
        return;
    locks::store_options two;
    two.rows = 2;
    locks::store in(lock_url(home.where()), two);
    in.create_tables();
    auto a = in.row("a");
    auto b = in.row("b");
    auto c = in.row("c");
    REQUIRE(a.try_lock());
    REQUIRE(b.try_lock());
    CHECK_FALSE(c.try_lock());
    auto waits = std::async(std::launch::async, [&] { return c.try_lock_for(60s); });
    CHECK(waits.wait_for(50ms) == std::future_status::timeout);
    a.unlock();
    CHECK(waits.get());
}

TEST_CASE("wrong input is refused with what is wrong")
{
    using Catch::Contains;
    CHECK_THROWS_WITH(locks::store("etcd"), Contains("lock store"));
    // Of a build without it, too.
    CHECK_THROWS_WITH(locks::store("zookeeper://,"),
                      Contains("lock store: ") && Contains("ookeeper", Catch::CaseSensitive::No));
    store home(storage::engine::sqlite);
    locks::store in(lock_url(home.where()));
    lock_options how;
    CHECK_THROWS_WITH(in.record(""), Contains("name"));
    CHECK_THROWS_WITH(in.lease(std::string(191, 'x')), Contains("name"));
    how.ttl = 99ms;
    CHECK_THROWS_WITH(in.record("x", how), Contains("ttl"));
    how = {};
    how.label = std::string(191, 'x');
    CHECK_THROWS_WITH(in.record("x", how), Contains("label"));
    how = {};
    how.max_hold = -1ms;
    CHECK_THROWS_WITH(in.record("x", how), Contains("max_hold"));
    how = {};
    how.ttl = 500ms;
    CHECK_THROWS_WITH(in.row("x", how), Contains("ttl"));
    CHECK_THROWS_WITH(in.redis("x"), Contains("redis"));
    CHECK_THROWS_WITH(in.reap(59s), Contains("age"));
    CHECK_THROWS_WITH(in.zookeeper("x"), Contains("zookeeper"));
    locks::store_options none;
    none.sessions = 0;
    CHECK_THROWS_WITH(locks::store("sqlite:/tmp/x", none), Contains("sessions"));
    none = {};
    none.zookeeper_session = 199ms;
    CHECK_THROWS_WITH(locks::store("sqlite:/tmp/x", none), Contains("zookeeper_session"));
}

TEST_CASE("coroutines wait for it without a thread, and can be cancelled")
{
    house here;
    auto first = here.make();
    auto second = here.make();
    asio::io_context loop;
    asio::cancellation_signal stop;
    std::vector<std::string> seen;
    auto const take_turns = [&]() -> awaitable<void> {
        bool const granted = co_await first.async_lock(asio::use_awaitable);
        seen.push_back(granted ? "granted" : "refused");
        bool const refused = co_await second.async_try_lock_for(20ms, asio::use_awaitable);
        seen.push_back(refused ? "granted" : "refused");
        auto const how = co_await first.async_unlock(asio::use_awaitable);
        seen.push_back(how == release_result::released ? "released" : "not released");
        co_await second.async_lock(asio::use_awaitable);
        seen.push_back(second.valid() ? "valid" : "not valid");
    };
    asio::co_spawn(loop, take_turns(), asio::detached);
    loop.run();
    CHECK(seen == std::vector<std::string>{"granted", "refused", "released", "valid"});

    lock_errc why{};
    loop.restart();
    first.async_lock(asio::bind_executor(
        loop.get_executor(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failure, bool) {
            why = failure_of([&] { std::rethrow_exception(failure); });
        })));
    asio::steady_timer timer(loop, std::chrono::milliseconds{50});
    timer.async_wait([&](error_code) { stop.emit(asio::cancellation_type::terminal); });
    loop.run();
    CHECK(why == lock_errc::cancelled);

    here.views.clear();
    std::vector<std::string> after;
    auto const use_what_is_closed = [&]() -> awaitable<void> {
        auto const how = co_await first.async_unlock(asio::use_awaitable);
        after.push_back(how == release_result::unknown ? "unknown" : "known");
        try {
            co_await first.async_lock(asio::use_awaitable);
        } catch (std::system_error const& failure) {
            after.push_back(failure.code() == lock_errc::misuse ? "misuse" : "another failure");
        }
    };
    loop.restart();
    asio::co_spawn(loop, use_what_is_closed(), asio::detached);
    loop.run();
    CHECK(after == std::vector<std::string>{"unknown", "misuse"});
}

TEST_CASE("who is cancelled while it sleeps in the server is told at once, and what comes of it then is given back")
{
    house here(place{storage::engine::mysql, GENERATE(kind_name::record, kind_name::lease, kind_name::row)});
    if (here.home->nodes().size() > 1)
        return;
    auto holder = here.make();
    auto waiter = here.make();
    auto other = here.make();
    REQUIRE(holder.try_lock());
    bool before_the_server = false;
    // Now and then what it sleeps in ends just then.
    for (int tries = 0; tries < 5 && !before_the_server; ++tries) {
        here.await_sleepers(0);
        asio::io_context loop;
        asio::cancellation_signal stop;
        lock_errc why{};
        waiter.async_lock(asio::bind_executor(
            loop.get_executor(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failure, bool) {
                why = failure_of([&] { std::rethrow_exception(failure); });
            })));
        here.await_sleepers(1);
        stop.emit(asio::cancellation_type::terminal);
        loop.run();
        CHECK(why == lock_errc::cancelled);
        before_the_server = here.sleepers() == 1;
    }
    CHECK(before_the_server);
    CHECK(holder.unlock() == release_result::released);
    CHECK(other.try_lock_for(30s));
}

TEST_CASE("a wait on the thread of the locks is refused, since it would never end")
{
    house here;
    auto holder = here.make("stock", short_lived());
    auto& in = here.enter();
    auto other = here.make(in, "other");
    auto lost = here.make(in, "lost", short_lived());
    REQUIRE(lost.try_lock());
    std::promise<lock_errc> why;
    std::stop_callback const told(lost.lost(), [&] { why.set_value(failure_of([&] { other.lock(); })); });
    CHECK(why.get_future().get() == lock_errc::misuse);
}

TEST_CASE("it counts what it did")
{
    house here;
    auto& in = here.enter();
    auto lock = here.make(in, "stock", short_lived());
    auto other = here.make();
    REQUIRE(lock.try_lock());
    lock.unlock();
    REQUIRE(other.try_lock());
    CHECK_FALSE(lock.try_lock());
    other.unlock();
    REQUIRE(lock.try_lock());
    await_loss(lock);
    lock.unlock();
    REQUIRE(lock.try_lock());
    auto const all = in.metrics();
    auto const& counted =
        *std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.kind == here.name(); });
    CHECK(counted.acquired == 3);
    CHECK(counted.refused == 1);
    CHECK(counted.released == 1);
    CHECK(counted.lost == 1);
    CHECK(counted.held == 1);
    auto const text = locks::to_prometheus(all);
    CHECK_THAT(text,
               Catch::Contains("baton_lock_acquired_total{kind=\"" + counted.kind + "\"} 3\n") &&
                   Catch::Contains("baton_lock_wait_seconds_bucket{kind=\"" + counted.kind + "\",le=\"+Inf\"} 3\n"));
}
