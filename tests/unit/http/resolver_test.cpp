#include "libs/base/loop.hpp"
#include "libs/http/resolver.hpp"

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

namespace resolver_test {

using namespace baton;
using namespace baton::http;

namespace {

// Name servers whose answers a test holds back. Names that are not held are answered at once with 192.0.2.N, where N
// counts the lookups.
class name_servers {
public:
    ~name_servers() { release_all(); }

    resolved look_up(std::string const& name)
    {
        std::unique_lock lock(mutex_);
        auto const n = ++lookups[name];
        ++at_once_;
        most_at_once = std::max(most_at_once, at_once_);
        changed_.wait(lock, [&] { return !held_.contains(name); });
        --at_once_;
        if (failing)
            return {{}, asio::error::host_not_found};
        return {{asio::ip::make_address("192.0.2." + std::to_string(n))}, {}};
    }
    void hold(std::string const& name)
    {
        std::lock_guard const lock(mutex_);
        held_[name] = true;
    }
    void release_all()
    {
        std::lock_guard const lock(mutex_);
        held_.clear();
        changed_.notify_all();
    }
    int at_once()
    {
        std::lock_guard const lock(mutex_);
        return at_once_;
    }
    int count(std::string const& name)
    {
        std::lock_guard const lock(mutex_);
        return lookups[name];
    }

    std::atomic<bool> failing{false};
    std::map<std::string, int> lookups;
    int most_at_once = 0;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, bool> held_;
    int at_once_ = 0;
};

struct fixture {
    // The servers outlive a lookup that hangs when its resolver has ended.
    std::shared_ptr<name_servers> servers = std::make_shared<name_servers>();
    asio::io_context io{1};
    system_time time;
    resolver_settings settings;
    std::shared_ptr<resolver> names;

    std::shared_ptr<resolver> make()
    {
        auto const ask = [servers = servers](std::string const& name) { return servers->look_up(name); };
        return std::make_shared<resolver>(io.get_executor(), time, settings, ask);
    }

    // "192.0.2.1", the message of an error, or "no answer" when `limit` passes.
    awaitable<std::string> ask(std::string name, duration limit)
    {
        auto known = names->find(name);
        if (!known) {
            asio::steady_timer done(io, limit);
            resolver::waiter const mine(*names, name, done, known);
            error_code woken;
            co_await done.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        }
        if (!known)
            co_return std::string("no answer");
        co_return known->failed ? std::string("failed") : known->addresses.front().to_string();
    }

    void run(awaitable<void> scenario)
    {
        names = make();
        std::exception_ptr failure;
        asio::co_spawn(io, std::move(scenario), [&](std::exception_ptr thrown) { failure = thrown; });
        io.run_for(60s);
        if (failure)
            std::rethrow_exception(failure);
        names.reset();
    }
};

} // namespace

TEST_CASE("a name whose lookup hangs makes no other name wait, nor the process that ends")
{
    fixture f;
    f.servers->hold("slow");
    auto const scenario = [&]() -> awaitable<void> {
        auto const slow = co_await f.ask("slow", 20ms);
        CHECK(slow == "no answer");
        auto const quick = co_await f.ask("quick", 20s);
        CHECK(quick == "192.0.2.1");
        auto const again = co_await f.ask("slow", 20ms);
        CHECK(again == "no answer");
    };
    f.run(scenario());
    CHECK(f.servers->count("slow") == 1); // one lookup for all
}

TEST_CASE("no more names are looked up at the same time than there are threads")
{
    fixture f;
    f.settings.threads = 3;
    waker done(f.io.get_executor());
    int answered = 0;
    auto const one = [&](int i) -> awaitable<void> {
        auto const got = co_await f.ask("name" + std::to_string(i), 20s);
        answered += got == "192.0.2.1" ? 1 : 0;
        if (answered == 50)
            done.wake();
    };
    auto const scenario = [&]() -> awaitable<void> {
        for (int i = 0; i < 50; ++i)
            f.servers->hold("name" + std::to_string(i));
        for (int i = 0; i < 50; ++i)
            asio::co_spawn(f.io, one(i), asio::detached);
        while (f.servers->at_once() < 3)
            co_await done.wait_until(f.time, f.time.now() + 1ms);
        co_await done.wait_until(f.time, f.time.now() + 50ms); // a thread too many would begin a lookup meanwhile
        f.servers->release_all();
        co_await done.wait_until(f.time, f.time.now() + 20s);
    };
    f.run(scenario());
    CHECK(answered == 50);
    CHECK(f.servers->most_at_once <= 3);
}

TEST_CASE("an answer serves for its lifetime, and an old one until its successor is there")
{
    fixture f;
    f.settings.keep = 50ms;
    auto const scenario = [&]() -> awaitable<void> {
        auto const first = co_await f.ask("a", 20s);
        auto const second = co_await f.ask("a", 20s);
        CHECK(first == "192.0.2.1");
        CHECK(second == "192.0.2.1");
        CHECK(f.servers->count("a") == 1);
        co_await f.time.sleep_for(60ms);
        auto const old = co_await f.ask("a", 20s); // at once; a lookup begins
        CHECK(old == "192.0.2.1");
        for (int i = 0; i < 1'000 && f.names->find("a")->addresses.front().to_string() == "192.0.2.1"; ++i)
            co_await f.time.sleep_for(1ms);
        CHECK(f.names->find("a")->addresses.front().to_string() != "192.0.2.1");
    };
    f.run(scenario());
}

TEST_CASE("the number of names that are remembered is bounded")
{
    fixture f;
    f.settings.names = 3;
    auto const scenario = [&]() -> awaitable<void> {
        for (auto const* name : {"a", "b", "c", "a", "b", "c"})
            co_await f.ask(name, 20s);
        co_await f.ask("d", 20s);
        co_await f.ask("a", 20s);
    };
    f.run(scenario());
    CHECK(f.servers->count("b") == 1);
    CHECK(f.servers->count("a") == 2); // made room for "d"
}

TEST_CASE("a failure is remembered for a short time, and does not replace addresses that are known")
{
    fixture f;
    f.settings.keep = 1ms;
    f.settings.keep_failure = 30ms;
    auto const scenario = [&]() -> awaitable<void> {
        auto const good = co_await f.ask("good", 20s);
        CHECK(good == "192.0.2.1");
        f.servers->failing = true;
        auto const bad = co_await f.ask("bad", 20s);
        auto const again = co_await f.ask("bad", 20s);
        CHECK(bad == "failed");
        CHECK(again == "failed");
        CHECK(f.servers->count("bad") == 1);
        co_await f.time.sleep_for(40ms);
        auto const old = co_await f.ask("good", 20s);
        CHECK(old == "192.0.2.1");
        f.servers->failing = false;
        auto const later = co_await f.ask("bad", 20s);
        CHECK(later == "192.0.2.2");
    };
    f.run(scenario());
}

TEST_CASE("a name that is forgotten is looked up before it is used again")
{
    fixture f;
    auto const scenario = [&]() -> awaitable<void> {
        auto const first = co_await f.ask("a", 20s);
        CHECK(first == "192.0.2.1");
        f.names->forget("a");
        auto const second = co_await f.ask("a", 20s);
        CHECK(second == "192.0.2.2");
    };
    f.run(scenario());
}

TEST_CASE("the system's lookup finds this host, and says when there is no such name")
{
    auto const here = resolver::system_lookup("localhost");
    CHECK_FALSE(here.failed);
    CHECK_FALSE(here.addresses.empty());
    CHECK(resolver::system_lookup("no-such-name.invalid").failed);
}

} // namespace resolver_test
