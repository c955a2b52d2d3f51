#include "locks/tests/conformance/lock_fixture.hpp"

#include "libs/base/random.hpp"
#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

#include <baton/lock/async.hpp>
#include <future>
#include <thread>

namespace baton::test {

lock_fixture::lock_fixture(std::optional<storage::engine> engine, std::string server) : server_(std::move(server))
{
    if (engine)
        home.emplace(*engine);
    else
        prefix = secret_hex(8) + ":";
    enter().create_tables();
}

lock::store& lock_fixture::enter()
{
    auto address = url();
    if (address.starts_with("zookeeper:"))
        address = with_parameter(address, "session=2s"); // so that the lock of a killed holder is free soon
    return *views.emplace_back(std::make_unique<lock::store>(address));
}

std::string lock_fixture::url() const
{
    return home ? lock_url(home->nodes()[views.size() % home->nodes().size()]) : server_;
}

void lock_fixture::await_release()
{
    if (home)
        home->await_nodes();
}

std::int64_t lock_fixture::sleepers(std::string const& manner)
{
    return home->number("SELECT COUNT(*) FROM information_schema.processlist WHERE db = '" + home->where().name +
                        "' AND " + manner);
}

std::vector<storage::engine> tested_engines()
{
    switch (chosen_target()) {
    case target::mariadb:
        return {storage::engine::mysql, storage::engine::sqlite};
    case target::sqlite:
        return {storage::engine::sqlite};
    default:
        return {storage::engine::mysql};
    }
}

void await_sleepers(std::function<std::int64_t()> const& sleepers, std::int64_t number)
{
    for (auto const until = system_time().now() + 60s; sleepers() != number && system_time().now() < until;)
        std::this_thread::yield();
    REQUIRE(sleepers() == number);
}

lock::lock_options short_lived(bool watchdog)
{
    lock::lock_options how;
    how.ttl = 1s;
    how.watchdog = watchdog;
    return how;
}

void await_loss(std::stop_token of)
{
    std::promise<void> lost;
    std::stop_callback const told(std::move(of), [&] { lost.set_value(); });
    REQUIRE(lost.get_future().wait_for(60s) == std::future_status::ready);
}

lock::lock_errc failure_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (std::system_error const& failure) {
        REQUIRE(failure.code().category() == lock::lock_category());
        return static_cast<lock::lock_errc>(failure.code().value());
    }
    return {};
}

std::vector<std::string> take_turns(asio::io_context& loop, lock::named_lock& first, lock::named_lock& second)
{
    std::vector<std::string> seen;
    auto const turns = [&]() -> awaitable<void> {
        bool const granted = co_await first.async_lock(asio::use_awaitable);
        seen.push_back(granted ? "granted" : "refused");
        bool const refused = co_await second.async_try_lock_for(20ms, asio::use_awaitable);
        seen.push_back(refused ? "granted" : "refused");
        auto const how = co_await first.async_unlock(asio::use_awaitable);
        seen.push_back(how == lock::release_result::released ? "released" : "not released");
        co_await second.async_lock(asio::use_awaitable);
        seen.push_back(second.valid() ? "valid" : "not valid");
    };
    asio::co_spawn(loop, turns(), asio::detached);
    loop.run();
    loop.restart();
    return seen;
}

} // namespace baton::test
