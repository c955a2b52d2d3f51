#include "cli/stores.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <algorithm>
#include <filesystem>

namespace baton::cli {

namespace {

constexpr duration between_tries = 1s;

bool on_sqlite(stores const& of)
{
    return of.shared->engine() == storage::engine::sqlite;
}

storage::database_settings one_session(bool create_file)
{
    storage::database_settings how;
    how.sessions = 1;
    how.create_file = create_file;
    return how;
}

awaitable<void> prepare_once(stores const& of)
{
    if (on_sqlite(of)) {
        std::function<void(std::string const&)> const report = [](std::string const& step) {
            log::old::info("applied {}", step);
        };
        co_await migrate(of, report);
    } else {
        co_await storage::check_schema(*of.shared, storage::scheduler_tables());
    }
}

} // namespace

std::string lease_file(std::string const& file)
{
    std::filesystem::path const path(file);
    return (path.parent_path() / (path.stem().string() + "-lease" + path.extension().string())).string();
}

std::string guard_file(std::string const& file)
{
    return std::filesystem::path(file).replace_extension(".leader").string();
}

namespace {

unsigned whole_seconds(duration span)
{
    auto const whole = std::chrono::floor<std::chrono::seconds>(span).count();
    return static_cast<unsigned>(std::max<std::int64_t>(whole, 1));
}

void open_lease(stores& out, storage::location const& where, stores_settings const& how, time_source& time)
{
    bool const sqlite = where.engine == storage::engine::sqlite;
    auto leasing = one_session(sqlite);
    leasing.read_limit_s = whole_seconds(how.lease_limit);
    leasing.connect_limit_s = 1;
    leasing.lock_wait_s = 1;
    auto lease_at = where;
    if (sqlite)
        lease_at.name = lease_file(where.name);
    out.leasing = storage::open_database(lease_at, leasing, time);
    out.lease = sqlite ? lease::make_boot_lease(*out.leasing, how.lock_namespace, time, boot_id())
                       : lease::make_clocked_lease(*out.leasing, how.lock_namespace);
}

void open_guard(stores& out, storage::location const& where, stores_settings const& how, time_source& time)
{
    if (where.engine == storage::engine::sqlite) {
        out.guard = lease::make_file_guard(*out.leasing, *out.lease, how.lock_namespace, guard_file(where.name), time,
                                           boot_id());
        return;
    }
    auto guarding = one_session(false);
    guarding.connect_limit_s = 1;
    guarding.read_limit_s = 4; // twice as long as a wait for the lock
    guarding.lock_wait_s = 1;
    guarding.idle_session_s = whole_seconds(how.guard_silence);
    out.guarding = storage::open_database(where, guarding, time);
    out.guard = lease::make_named_guard(*out.guarding, *out.shared, how.lock_namespace);
}

} // namespace

stores open_stores(storage::location const& where, stores_settings const& how, time_source& time)
{
    bool const sqlite = where.engine == storage::engine::sqlite;
    stores out;
    storage::database_settings shared;
    shared.sessions = how.sessions;
    shared.read_limit_s = whole_seconds(how.call_limit);
    shared.create_file = sqlite;
    shared.causal = true;
    out.shared = storage::open_database(where, shared, time);

    auto deciding = one_session(sqlite);
    deciding.read_limit_s = whole_seconds(how.call_limit);
    deciding.idle_transaction_s = 2; // an open transaction of a dead master must not hold up its successor
    deciding.causal = true;
    out.deciding = storage::open_database(where, deciding, time);

    open_lease(out, where, how, time);
    if (how.guarded)
        open_guard(out, where, how, time);
    return out;
}

awaitable<void> migrate(stores const& of, std::function<void(std::string const& step)> report)
{
    auto const steps = co_await storage::migrate(*of.shared, storage::scheduler_tables());
    for (auto const& step : steps)
        report("scheduler " + step.name);
    if (!on_sqlite(of))
        co_return;
    auto const lease_steps = co_await storage::migrate(*of.leasing, storage::lease_tables());
    for (auto const& step : lease_steps)
        report("lease " + step.name);
}

awaitable<void> prepare(stores const& of, time_source& time)
{
    for (;;) {
        try {
            co_await prepare_once(of);
            co_return;
        } catch (unavailable const& reason) {
            log::old::warn("waiting for the database: {}", reason.what());
        }
        co_await time.sleep_for(between_tries);
    }
}

} // namespace baton::cli
