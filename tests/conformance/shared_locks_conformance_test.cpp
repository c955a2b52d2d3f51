// What locks that several may hold at once promise, on each store that gives them and through the public headers alone.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "tests/support/lock_urls.hpp"
#include "tests/support/stores.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <baton/lock/async.hpp>
#include <baton/lock/store.hpp>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::read_write_lock;
using baton::lock::release_result;
namespace locks = baton::lock;

namespace {

struct place {
    std::optional<storage::engine> engine;
    std::string server; // where there is no engine
};

std::vector<place> places()
{
    std::vector<place> all{{storage::engine::mysql, {}}, {storage::engine::sqlite, {}}};
    if (store(storage::engine::mysql).nodes().size() > 1) // the others are tried where it is one
        return all;
    for (auto const variable : {"BATON_TEST_REDIS", "BATON_TEST_ZOOKEEPER"})
        if (auto const server = lock_server(variable))
            all.push_back({std::nullopt, *server});
    return all;
}

// A store, and as many processes' views of it as a test likes. In a cluster each second view is of another node.
class house {
public:
    house() : house(GENERATE_COPY(from_range(places()))) {}
    explicit house(place where) : where_(std::move(where))
    {
        if (where_.engine)
            home.emplace(*where_.engine);
        else
            prefix_ = secret_hex(8) + ":"; // the server is not this test's alone
        enter().create_tables();
    }

    locks::store& enter()
    {
        locks::store_options how;
        how.zookeeper_session = 2s;
        auto const url = home ? lock_url(home->nodes()[views.size() % home->nodes().size()]) : where_.server;
        return *views.emplace_back(std::make_unique<locks::store>(url, how));
    }

    // Each of a process of its own.
    named_lock permit(std::size_t of, lock_options how = {}, std::string const& name = "pool")
    {
        return enter().semaphore(prefix_ + name, of, std::move(how));
    }
    read_write_lock book(lock_options how = {}) { return enter().read_write(prefix_ + "book", std::move(how)); }

    locks::guarantee level() const
    {
        return where_.server.starts_with("redis") ? locks::guarantee::efficiency : locks::guarantee::fenced;
    }
    bool in_order() const { return where_.server.starts_with("zookeeper"); }

    std::optional<store> home;
    std::vector<std::unique_ptr<locks::store>> views;

private:
    place where_;
    std::string prefix_; // of all names
};

lock_options short_lived(bool watchdog = false)
{
    lock_options how;
    how.ttl = 1s;
    how.watchdog = watchdog;
    return how;
}

void await_loss(std::stop_token of)
{
    std::promise<void> lost;
    std::stop_callback const told(std::move(of), [&] { lost.set_value(); });
    REQUIRE(lost.get_future().wait_for(10s) == std::future_status::ready);
}

std::error_code failure_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (std::system_error const& failure) {
        return failure.code();
    }
    return {};
}

} // namespace

TEST_CASE("as many hold a semaphore as it has permits and no more, and each grant's token is higher than those before")
{
    house here;
    std::vector<named_lock> holders;
    std::uint64_t highest = 0;
    for (int times = 0; times < 3; ++times) {
        auto& next = holders.emplace_back(here.permit(3));
        REQUIRE(next.try_lock());
        CHECK(next.valid());
        CHECK(next.level() == here.level());
        CHECK(next.token() > highest);
        highest = next.token();
    }
    auto late = here.permit(3);
    CHECK_FALSE(late.try_lock());
    CHECK_FALSE(late.valid());
    CHECK(holders[1].unlock() == release_result::released);
    REQUIRE(late.try_lock());
    CHECK(late.token() > highest);
    CHECK_FALSE(holders[1].try_lock_for(20ms));
    CHECK(late.unlock() == release_result::released);
}

TEST_CASE("whoever waits for a permit has it soon after any of the holders gives one back")
{
    house here;
    auto first = here.permit(2);
    auto second = here.permit(2);
    auto third = here.permit(2);
    auto fourth = here.permit(2);
    REQUIRE(first.try_lock());
    REQUIRE(second.try_lock());
    auto third_has_it = std::async(std::launch::async, [&] { return third.try_lock_for(60s); });
    auto fourth_has_it = std::async(std::launch::async, [&] { return fourth.try_lock_for(60s); });
    CHECK(third_has_it.wait_for(100ms) == std::future_status::timeout);
    auto const began = system_time().now();
    CHECK(second.unlock() == release_result::released);
    CHECK(first.unlock() == release_result::released);
    CHECK(third_has_it.get());
    CHECK(fourth_has_it.get());
    CHECK(system_time().now() - began < 1500ms); // none has waited for a look that comes without a cause
}

TEST_CASE("whoever waits for long is told in the server when one of the holders goes")
{
    house here(place{storage::engine::mysql, {}});
    if (here.home->nodes().size() > 1)
        return;
    auto first = here.permit(2);
    auto second = here.permit(2);
    auto waiter = here.permit(2);
    REQUIRE(first.try_lock());
    REQUIRE(second.try_lock());
    auto has_it = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    auto const asleep = [&] {
        return here.home->number(
                   "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock' AND db = '" +
                   here.home->where().name + "'") == 1;
    };
    for (auto const until = system_time().now() + 30s; !asleep() && system_time().now() < until;)
        std::this_thread::yield();
    CHECK(asleep());
    CHECK(first.unlock() == release_result::released);
    CHECK(has_it.get()); // whichever of the two it sleeps for
    CHECK(second.unlock() == release_result::released);
}

TEST_CASE("many hold it for reading, but one alone for writing")
{
    house here;
    auto first = here.book();
    auto second = here.book();
    auto writer = here.book();
    REQUIRE(first.try_lock_shared());
    REQUIRE(second.try_lock_shared());
    CHECK(second.token() > first.token());
    CHECK_FALSE(writer.try_lock());
    CHECK(first.unlock_shared() == release_result::released);
    CHECK_FALSE(writer.try_lock());
    CHECK(second.unlock_shared() == release_result::released);
    CHECK_FALSE(second.valid());
    auto const read = second.token();
    CHECK(read == 0);
    REQUIRE(writer.try_lock());
    CHECK(writer.valid());
    CHECK_FALSE(first.try_lock_shared());
    CHECK_FALSE(second.try_lock());
    auto const written = writer.token();
    CHECK(writer.unlock() == release_result::released);
    REQUIRE(first.try_lock_shared_for(5s)); // the other's node may still be on its way out of the queue
    CHECK(first.token() > written);
}

TEST_CASE("it serves std::shared_lock and std::unique_lock")
{
    house here;
    auto one = here.book();
    auto other = here.book();
    {
        std::shared_lock const reads(one, 5s);
        std::shared_lock const reads_too(other, 5s);
        CHECK(reads.owns_lock());
        CHECK(reads_too.owns_lock());
    }
    std::unique_lock const writes(one, 5s);
    CHECK(writes.owns_lock());
    std::shared_lock const reads(other, std::try_to_lock);
    CHECK_FALSE(reads.owns_lock());
}

TEST_CASE("a writer has its turn though readers would go on for ever")
{
    house here;
    auto writer = here.book();
    std::vector<read_write_lock> readers;
    readers.push_back(here.book());
    readers.push_back(here.book());
    REQUIRE(readers[0].try_lock_shared());
    auto writes = std::async(std::launch::async, [&] { return writer.try_lock_for(30s); });
    // Whoever reads goes when the next does, so that there is always one; or when the next could not for so long.
    std::size_t who = 0;
    while (writes.wait_for(0ms) == std::future_status::timeout) {
        auto const next = 1 - who;
        bool const granted = readers[next].try_lock_shared_for(100ms);
        readers[who].unlock_shared();
        who = next;
        if (!granted)
            break;
    }
    CHECK(writes.get());
    CHECK(writer.valid());
}

TEST_CASE("a writer that does not wait keeps no reader out")
{
    house here;
    auto reader = here.book();
    auto other = here.book();
    auto writer = here.book();
    REQUIRE(reader.try_lock_shared());
    CHECK_FALSE(writer.try_lock());
    CHECK((here.in_order() ? other.try_lock_shared_for(5s) : other.try_lock_shared())); // a node may be on its way out
}

TEST_CASE("a permit ends with its time: its holder is told, and its release takes none from anybody")
{
    house here;
    auto late = here.permit(2, short_lived());
    auto other = here.permit(2);
    auto next = here.permit(2);
    REQUIRE(late.try_lock());
    REQUIRE(other.try_lock());
    auto const token = other.token();
    REQUIRE(next.try_lock_for(10s));
    CHECK(next.token() > token);
    CHECK_FALSE(late.valid());
    CHECK(late.lost().stop_requested());
    CHECK(late.unlock() == release_result::was_lost);
    auto refused = here.permit(2);
    CHECK_FALSE(refused.try_lock());
    CHECK(next.unlock() == release_result::released);
    CHECK(other.unlock() == release_result::released);
}

TEST_CASE("a reader that is silent for its time is in no writer's way, nor a writer in a reader's")
{
    house here;
    auto silent = here.book(short_lived());
    auto next = here.book(short_lived(true));
    REQUIRE(silent.try_lock_shared());
    auto const token = silent.token();
    REQUIRE(next.try_lock_for(10s));
    CHECK(next.token() > token);
    CHECK_FALSE(silent.valid());
    CHECK(silent.unlock_shared() == release_result::was_lost);
    CHECK(next.unlock() == release_result::released);
    REQUIRE(silent.try_lock());
    auto const lost = silent.lost();
    REQUIRE(next.try_lock_shared_for(10s));
    CHECK(lost.stop_requested());
    CHECK(silent.unlock() == release_result::was_lost);
    CHECK(next.valid());
}

TEST_CASE("a watchdog keeps a permit beyond its time")
{
    house here;
    auto holder = here.permit(1, short_lived(true));
    auto other = here.permit(1);
    REQUIRE(holder.try_lock());
    CHECK_FALSE(other.try_lock_for(2500ms));
    CHECK(holder.valid());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("whoever speaks of another number of permits is told so while one is held, and nobody is in his way")
{
    house here;
    auto two = here.permit(2);
    auto three = here.permit(3);
    auto also_two = here.permit(2);
    REQUIRE(two.try_lock());
    CHECK(failure_of([&] { three.lock(); }) == lock_errc::misuse);
    CHECK(also_two.try_lock());
    CHECK(also_two.unlock() == release_result::released);
    CHECK(two.unlock() == release_result::released);
    CHECK(three.try_lock());
    CHECK(failure_of([&] { two.try_lock(); }) == lock_errc::misuse);
}

TEST_CASE("a reentrant reader may read once more, and gives it back with the last")
{
    house here;
    lock_options how;
    how.reentrant = true;
    auto reader = here.book(how);
    auto writer = here.book();
    reader.lock_shared();
    reader.lock_shared();
    CHECK(reader.unlock_shared() == release_result::released);
    CHECK_FALSE(writer.try_lock());
    CHECK(reader.unlock_shared() == release_result::released);
    CHECK(writer.try_lock());
}

TEST_CASE("what goes away while it is held is given back")
{
    house here;
    auto waiter = here.book();
    auto gone = std::make_unique<read_write_lock>(here.book());
    REQUIRE(gone->try_lock_shared());
    gone.reset();
    REQUIRE(waiter.try_lock_for(5s));
    waiter.unlock();
    auto closed = here.book();
    REQUIRE(closed.try_lock());
    auto const lost = closed.lost();
    here.views.pop_back();
    CHECK(lost.stop_requested());
    CHECK(failure_of([&] { closed.lock_shared(); }) == lock_errc::misuse);
    CHECK(waiter.try_lock_shared_for(5s));
}

TEST_CASE("a name of a semaphore is no name of a lock for readers and writers, nor of any other")
{
    house here;
    auto& in = here.enter();
    auto permit = here.permit(1, {}, "book");
    auto book = here.book();
    CHECK(permit.try_lock());
    CHECK(book.try_lock());
    if (!here.home)
        return;
    auto record = in.record("book");
    CHECK(record.try_lock());
}

TEST_CASE("coroutines read and write without a thread")
{
    house here;
    auto one = here.book();
    auto other = here.book();
    asio::io_context loop;
    std::vector<std::string> seen;
    auto const take_turns = [&]() -> awaitable<void> {
        co_await one.reader().async_lock(asio::use_awaitable);
        bool const refused = co_await other.writer().async_try_lock_for(20ms, asio::use_awaitable);
        seen.push_back(refused ? "granted" : "refused");
        auto const how = co_await one.reader().async_unlock(asio::use_awaitable);
        seen.push_back(how == release_result::released ? "released" : "not released");
        co_await other.writer().async_lock(asio::use_awaitable);
        seen.push_back(other.valid() ? "valid" : "not valid");
    };
    asio::co_spawn(loop, take_turns(), asio::detached);
    loop.run();
    CHECK(seen == std::vector<std::string>{"refused", "released", "valid"});
    here.views.clear(); // their threads, before the loop that they post to
}

TEST_CASE("readers, writers and permits are counted each for themselves")
{
    house here;
    auto& in = here.enter();
    auto const book = secret_hex(8);
    auto reader = in.read_write(book);
    auto writer = in.read_write(book);
    auto permit = in.semaphore(book, 2, short_lived());
    REQUIRE(reader.try_lock_shared());
    CHECK_FALSE(writer.try_lock());
    REQUIRE(permit.try_lock());
    await_loss(permit.lost());
    auto const all = in.metrics();
    auto const of = [&](std::string const& kind) {
        return *std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.kind == kind; });
    };
    CHECK(of("read").acquired == 1);
    CHECK(of("read").held == 1);
    CHECK(of("write").acquired == 0);
    CHECK(of("write").refused == 1);
    CHECK(of("semaphore").acquired == 1);
    CHECK(of("semaphore").lost == 1);
}

TEST_CASE("tokens go on where a shared name was reaped, and what is held stays")
{
    house here(place{GENERATE(storage::engine::mysql, storage::engine::sqlite), {}});
    lock_options long_lived;
    long_lived.ttl = 1h;
    auto held = here.permit(2, long_lived, "held");
    auto old = here.permit(2, {}, "old");
    auto dead = std::make_unique<named_lock>(here.permit(2, short_lived(), "dead"));
    REQUIRE(held.try_lock());
    for (int times = 0; times < 3; ++times) {
        REQUIRE(old.try_lock());
        if (times < 2)
            old.unlock();
    }
    auto const token = old.token();
    old.unlock();
    REQUIRE(dead->try_lock());
    here.home->exec("UPDATE lock_shared SET renewed_at = renewed_at - 300000000"); // five minutes
    CHECK(here.enter().reap(3min) == 2);
    CHECK(here.home->number("SELECT COUNT(*) FROM lock_shared") == 2); // the name that is held, and its holder
    REQUIRE(old.try_lock());
    CHECK(old.token() > token);
}

TEST_CASE("what makes no sense as a semaphore is refused with what is wrong")
{
    store home(storage::engine::sqlite);
    locks::store in(lock_url(home.where()));
    CHECK_THROWS_WITH(in.semaphore("x", 0), Catch::Contains("permits"));
    CHECK_THROWS_WITH(in.semaphore("x", 10'001), Catch::Contains("permits"));
    CHECK_THROWS_WITH(in.semaphore("", 1), Catch::Contains("name"));
    CHECK_THROWS_WITH(in.read_write(""), Catch::Contains("name"));
}
