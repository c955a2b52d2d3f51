#include "libs/sim/stage.hpp"

#include "libs/storage/migrations.hpp"

#include <optional>
#include <stdexcept>

namespace baton::sim {

namespace {

// The seed of an independent stream of random numbers.
std::uint64_t branch(std::uint64_t seed, std::uint64_t stream)
{
    seeded_random mix(seed * 1'000'003 + stream);
    return mix.next();
}

awaitable<void> migrate_all(storage::database& where)
{
    auto const tables = storage::scheduler_tables();
    auto const lease = storage::lease_tables();
    co_await storage::migrate(where, tables);
    co_await storage::migrate(where, lease);
}

// The tables that simulations copy: to make them takes longer than what most tests do with them.
struct tables_once {
    stage made{0};

    tables_once()
    {
        auto const plain = made.database.direct();
        made.play(migrate_all(*plain));
    }
};

} // namespace

stage::stage(std::uint64_t seed)
    : random(branch(seed, 1)), database(env, branch(seed, 2)), net(env, branch(seed, 3)), seed_(seed)
{}

stage::~stage() = default;

host& stage::add_host(std::string const& name, clock_error error)
{
    auto const number = 16 + hosts_.size();
    hosts_.push_back(std::make_unique<host>(name, env, branch(seed_, number), error));
    log.note(name + " starts");
    return *hosts_.back();
}

void stage::make_tables()
{
    static tables_once once;
    database.copy_tables(once.made.database);
}

void stage::play(awaitable<void> scene, duration limit)
{
    std::optional<std::exception_ptr> end;
    auto note_end = [&end](std::exception_ptr failure) { end = failure; };
    asio::co_spawn(loop, std::move(scene), note_end);
    if (!time.run_until([&end] { return end.has_value(); }, limit))
        throw std::logic_error("the test's coroutine did not end within its limit");
    if (*end)
        std::rethrow_exception(*end);
}

void stage::run_after(duration span, std::function<void()> function)
{
    auto wait = [](virtual_time& clock, duration pause, std::function<void()> then) -> awaitable<void> {
        co_await clock.sleep_for(pause);
        then();
    };
    asio::co_spawn(loop, wait(time, span, std::move(function)), asio::detached);
}

void stage::end()
{
    for (auto const& machine : hosts_)
        machine->kill();
    time.settle();
    for (auto const& machine : hosts_)
        if (machine->running() != 0)
            throw std::logic_error("a coroutine of a killed process does not end: " + machine->name());
}

} // namespace baton::sim
