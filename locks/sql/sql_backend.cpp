#include "libs/base/log.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/dialect.hpp"
#include "locks/core/backend.hpp"
#include "locks/sql/classic_kind.hpp"
#include "locks/sql/release_notifier.hpp"
#include "locks/sql/row_kind.hpp"
#include "locks/sql/shared_kind.hpp"
#include "locks/sql/table_kind.hpp"
#include "locks/sql/tables.hpp"

#include <algorithm>
#include <stdexcept>

namespace baton::lock {

namespace {

storage::location parsed(std::string const& url)
{
    try {
        return storage::parse_location(url);
    } catch (invalid_input const& wrong) {
        throw std::invalid_argument(std::string("lock store: ") + wrong.what());
    }
}

storage::database_settings settings_of(store_options const& options)
{
    storage::database_settings made;
    made.sessions = options.sessions;
    made.connect_limit_s = static_cast<unsigned>(options.limit.count());
    made.read_limit_s = static_cast<unsigned>(options.limit.count());
    made.lock_wait_s = 1;
    made.create_file = options.create_file;
    return made;
}

// For one row lock. Its statements wait in the server for a second at a time.
storage::database_settings row_settings(store_options const& options, unsigned idle_s)
{
    auto made = settings_of(options);
    made.sessions = 1;
    made.read_limit_s = std::max(2u, made.read_limit_s);
    made.idle_session_s = idle_s;
    made.reconnect = false; // the lock ends with its session
    return made;
}

class sql_backend final : public backend {
public:
    sql_backend(std::string const& url, store_options const& options, backend_deps deps)
        : location_(parsed(url)),
          options_(options),
          deps_(deps),
          shared_(storage::open_database(location_, settings_of(options), deps.time))
    {
        auto const open = [this](std::size_t sessions) {
            auto settings = settings_of(options_);
            settings.sessions = sessions;
            settings.read_limit_s = std::max(2u, settings.read_limit_s); // longer than a wait for a notification
            return storage::open_database(location_, settings, deps_.time);
        };
        if (shared_->dialect().shared_clock())
            notifier_ = make_release_notifier(deps.loop, open);
    }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        for (auto const each : {expiry_rule::record, expiry_rule::lease})
            all.push_back(make_table_kind(each, *shared_, notifier_.get(), deps_.time, deps_.random));
        all.push_back(make_classic_kind(*shared_, deps_.time, deps_.random));
        for (auto const& each : shared_kind_specs)
            all.push_back(make_shared_kind(each, *shared_, notifier_.get(), deps_.time, deps_.random));
        if (shared_->dialect().locks_rows()) {
            row_kind_deps rows{*shared_, {}, options_.row_sessions, deps_.time};
            rows.open = [this](unsigned idle_s) {
                return storage::open_database(location_, row_settings(options_, idle_s), deps_.time);
            };
            all.push_back(make_row_kind(std::move(rows)));
        }
        return all;
    }

    awaitable<void> create_tables() override
    {
        auto const done = co_await storage::migrate(*shared_, lock_tables());
        for (auto const& step : done)
            log::info("lock", "applied a migration of the tables of locks", {{"step", step.name}});
    }

    awaitable<std::size_t> reap(duration age) override
    {
        std::size_t removed = 0;
        for (auto const each : {expiry_rule::record, expiry_rule::lease})
            removed += co_await lock::reap(each, *shared_, deps_.time, age);
        removed += co_await reap_shared(*shared_, deps_.time, age);
        co_return removed;
    }

private:
    storage::location location_;
    store_options options_;
    backend_deps deps_;
    std::unique_ptr<storage::database> shared_;
    std::unique_ptr<release_notifier> notifier_;
};

} // namespace

std::unique_ptr<backend> open_sql_backend(std::string const& url, store_options const& options, backend_deps deps)
{
    return std::make_unique<sql_backend>(url, options, deps);
}

} // namespace baton::lock
