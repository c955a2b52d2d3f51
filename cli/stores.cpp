#include "cli/stores.hpp"

#include "cli/process.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/private_file.hpp"
#include "libs/base/reminder.hpp"
#include "libs/storage/dialect.hpp"
#include "libs/storage/login_watch.hpp"

#include <algorithm>
#include <filesystem>

namespace baton::cli {

namespace {

constexpr duration first_pause = 1s; // between two tries; doubles with each
constexpr duration longest_pause = 8s;
constexpr unsigned idle_transaction_limit_s = 2; // an open transaction of a dead master must not block its successor

// A file that belongs to this host.
bool is_local(stores const& all)
{
    return !all.shared->dialect().shared_clock();
}

storage::database_settings one_session(bool create_file, std::shared_ptr<storage::login_watch> logins)
{
    storage::database_settings settings;
    settings.sessions = 1;
    settings.create_file = create_file;
    settings.private_file = true;
    settings.logins = std::move(logins);
    return settings;
}

awaitable<void> prepare_once(stores const& all)
{
    if (is_local(all)) {
        std::function<void(std::string const&)> const report = [](std::string const& step) {
            log::info("database", "applied a migration", {{"step", step}});
        };
        co_await migrate(all, report);
    } else {
        co_await storage::check_schema(*all.shared, storage::scheduler_tables());
    }
    co_await lease::claim_database(*all.leasing, *all.lease, all.lock_namespace);
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

std::string folder_of(std::string const& file)
{
    auto const folder = std::filesystem::path(file).parent_path().string();
    return folder.empty() ? "." : folder;
}

unsigned whole_seconds(duration span)
{
    auto const whole = std::chrono::floor<std::chrono::seconds>(span).count();
    return static_cast<unsigned>(std::max<std::int64_t>(whole, 1));
}

void open_lease(stores& out, storage::location const& where, stores_settings const& settings, time_source& time)
{
    bool const local = is_local(out);
    auto leasing = one_session(local, out.logins);
    leasing.read_limit_s = whole_seconds(settings.lease_limit);
    leasing.connect_limit_s = 1;
    leasing.lock_wait_s = 1;
    auto lease_at = where;
    if (local)
        lease_at.name = lease_file(where.name);
    out.leasing = storage::open_database(lease_at, leasing, time);
    out.lease = local ? lease::make_boot_lease(*out.leasing, settings.lock_namespace, time, boot_id())
                      : lease::make_clocked_lease(*out.leasing, settings.lock_namespace);
}

void open_guard(stores& out, storage::location const& where, stores_settings const& settings, time_source& time)
{
    if (is_local(out)) {
        check_private_file(guard_file(where.name)); // later only the guard would fail
        out.guard = lease::make_file_guard(*out.leasing, *out.lease, settings.lock_namespace, guard_file(where.name),
                                           time, boot_id());
        return;
    }
    auto guarding = one_session(false, out.logins);
    guarding.connect_limit_s = 1;
    guarding.read_limit_s = 4; // twice as long as a wait for the lock
    guarding.lock_wait_s = 1;
    guarding.idle_session_s = whole_seconds(settings.guard_silence);
    out.guarding = storage::open_database(where, guarding, time);
    out.guard = lease::make_named_guard(*out.guarding, *out.shared, settings.lock_namespace);
}

} // namespace

stores open_stores(storage::location const& where, stores_settings const& settings, time_source& time)
{
    bool const local = !storage::dialect_of(where.engine).shared_clock();
    if (local && where.name != ":memory:")
        make_private_folder(folder_of(where.name));
    stores out;
    out.logins = std::make_shared<storage::login_watch>(where.text());
    storage::database_settings shared;
    shared.logins = out.logins;
    shared.sessions = settings.sessions;
    shared.read_limit_s = whole_seconds(settings.call_limit);
    shared.create_file = local;
    shared.private_file = true;
    shared.causal = true;
    out.shared = storage::open_database(where, shared, time);

    auto deciding = one_session(local, out.logins);
    deciding.read_limit_s = whole_seconds(settings.call_limit);
    deciding.idle_transaction_s = idle_transaction_limit_s;
    deciding.causal = true;
    out.deciding = storage::open_database(where, deciding, time);

    auto signals = one_session(local, out.logins);
    signals.read_limit_s = whole_seconds(settings.call_limit);
    signals.causal = true;
    out.signals = storage::open_database(where, signals, time);

    auto members = one_session(local, out.logins);
    members.read_limit_s = whole_seconds(settings.call_limit);
    members.causal = true;
    out.members = storage::open_database(where, members, time);

    out.lock_namespace = settings.lock_namespace;
    out.password_from_file = !where.password_file.empty();
    open_lease(out, where, settings, time);
    if (settings.guarded)
        open_guard(out, where, settings, time);
    return out;
}

std::string with_remedy(std::string const& reason, bool password_from_file)
{
    if (reason.find("Access denied for user") == std::string::npos)
        return reason;
    if (reason.find("' to database '") != std::string::npos)
        return reason + " (grant this user the database that database.url names)";
    return reason + (password_from_file ? " (check database.password_file, which is read again at each try)"
                                        : " (check the user and the password in database.url and database.password)");
}

std::string try_database(storage::location const& where)
{
    bool const local = !storage::dialect_of(where.engine).shared_clock();
    if (local && !std::filesystem::exists(where.name)) // opening would make it
        return where.text() + " is not there yet, the first start makes it";
    asio::io_context loop(1);
    system_time time;
    auto settings = one_session(false, nullptr);
    settings.read_limit_s = 10;
    auto const database = storage::open_database(where, settings, time);
    std::exception_ptr failure;
    asio::co_spawn(loop, kept(storage::check_schema(*database, storage::scheduler_tables()), failure), asio::detached);
    loop.run();
    if (failure)
        std::rethrow_exception(failure);
    return where.text() + " answers and has this program's version";
}

awaitable<void> migrate(stores const& all, std::function<void(std::string const& step)> report)
{
    auto const steps = co_await storage::migrate(*all.shared, storage::scheduler_tables());
    for (auto const& step : steps)
        report("scheduler " + step.name);
    if (!is_local(all))
        co_return;
    auto const lease_steps = co_await storage::migrate(*all.leasing, storage::lease_tables());
    for (auto const& step : lease_steps)
        report("lease " + step.name);
}

awaitable<void> prepare(stores const& all, time_source& time, std::function<void(std::string const& reason)> waits,
                        std::function<awaitable<void>()> then)
{
    reminder told;
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
        try {
            co_await prepare_once(all);
            if (then)
                co_await then();
            break;
        } catch (unavailable const& failure) {
            auto const reason = with_remedy(failure.what(), all.password_from_file);
            waits(reason);
            if (told.is_due(reason, time.now()))
                log::warn("database", "not available yet, trying again with pauses of 1 s to 8 s until it is",
                          {log::reason(reason)});
        }
        co_await time.sleep_for(pause);
    }
    if (told.clear())
        log::info("database", "available");
}

} // namespace baton::cli
