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
            log::info("applied {}", step);
        };
        co_await migrate(of, report);
    } else {
        co_await storage::check_schema(*of.shared, "scheduler");
    }
}

} // namespace

std::string lease_file(std::string const& file)
{
    std::filesystem::path const path(file);
    return (path.parent_path() / (path.stem().string() + "-lease" + path.extension().string())).string();
}

stores open_stores(storage::location const& where, stores_settings const& how, time_source& time)
{
    bool const sqlite = where.engine == storage::engine::sqlite;
    stores out;
    storage::database_settings shared;
    shared.sessions = how.sessions;
    shared.create_file = sqlite;
    out.shared = storage::open_database(where, shared, time);

    auto deciding = one_session(sqlite);
    deciding.idle_transaction_s = 2; // an open transaction of a dead master must not hold up its successor
    out.deciding = storage::open_database(where, deciding, time);

    auto leasing = one_session(sqlite);
    auto const whole = std::chrono::floor<std::chrono::seconds>(how.lease_limit).count();
    leasing.read_limit_s = static_cast<unsigned>(std::max<std::int64_t>(whole, 1));
    leasing.connect_limit_s = 1;
    leasing.lock_wait_s = 1;
    auto lease_at = where;
    if (sqlite)
        lease_at.name = lease_file(where.name);
    out.leasing = storage::open_database(lease_at, leasing, time);
    out.lease = sqlite ? lock::make_boot_lease(*out.leasing, how.lock_namespace, time, boot_id())
                       : lock::make_clocked_lease(*out.leasing, how.lock_namespace);
    return out;
}

awaitable<void> migrate(stores const& of, std::function<void(std::string const& step)> report)
{
    auto const steps = co_await storage::migrate(*of.shared, "scheduler");
    for (auto const& step : steps)
        report("scheduler " + step.name);
    if (!on_sqlite(of))
        co_return;
    auto const lease_steps = co_await storage::migrate(*of.leasing, "lease");
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
            log::warn("waiting for the database: {}", reason.what());
        }
        co_await time.sleep_for(between_tries);
    }
}

} // namespace baton::cli
