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

storage::database_settings settings_of(store_options const& how)
{
    storage::database_settings made;
    made.sessions = how.sessions;
    made.connect_limit_s = static_cast<unsigned>(how.limit.count());
    made.read_limit_s = static_cast<unsigned>(how.limit.count());
    made.lock_wait_s = 1;
    made.create_file = how.create_file;
    return made;
}

// Of a holder of a row: it waits in the server for a second at a time.
storage::database_settings of_one_row(store_options const& how, unsigned idle_s)
{
    auto made = settings_of(how);
    made.sessions = 1;
    made.read_limit_s = std::max(2u, made.read_limit_s);
    made.idle_session_s = idle_s;
    made.reconnect = false; // what it holds is over with the session
    return made;
}

class sql_backend final : public backend {
public:
    sql_backend(std::string const& url, store_options const& how, backend_deps parts)
        : where_(parsed(url)),
          how_(how),
          parts_(parts),
          shared_(storage::open_database(where_, settings_of(how), parts.time))
    {
        auto const open = [this](std::size_t sessions) {
            auto settings = settings_of(how_);
            settings.sessions = sessions;
            settings.read_limit_s = std::max(2u, settings.read_limit_s); // longer than a wait for a hint
            return storage::open_database(where_, settings, parts_.time);
        };
        if (shared_->dialect().shared_clock())
            hint_ = make_release_notifier(parts.loop, open);
    }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        for (auto const each : {expiry_rule::record, expiry_rule::lease})
            all.push_back(make_table_kind(each, *shared_, hint_.get(), parts_.time, parts_.random));
        all.push_back(make_classic_kind(*shared_, parts_.time, parts_.random));
        for (auto const& each : shared_kind_specs)
            all.push_back(make_shared_kind(each, *shared_, hint_.get(), parts_.time, parts_.random));
        if (shared_->dialect().locks_rows()) {
            row_parts rows{*shared_, {}, how_.rows, parts_.time};
            rows.open = [this](unsigned idle_s) {
                return storage::open_database(where_, of_one_row(how_, idle_s), parts_.time);
            };
            all.push_back(make_row_kind(std::move(rows)));
        }
        return all;
    }

    awaitable<void> create_tables() override
    {
        auto const done = co_await storage::migrate(*shared_, lock_tables());
        for (auto const& step : done)
            log::old::info("locks: applied {}", step.name);
    }

    awaitable<std::size_t> reap(duration age) override
    {
        std::size_t removed = 0;
        for (auto const each : {expiry_rule::record, expiry_rule::lease})
            removed += co_await lock::reap(each, *shared_, parts_.time, age);
        removed += co_await reap_shared(*shared_, parts_.time, age);
        co_return removed;
    }

private:
    storage::location where_;
    store_options how_;
    backend_deps parts_;
    std::unique_ptr<storage::database> shared_;
    std::unique_ptr<release_notifier> hint_;
};

} // namespace

std::unique_ptr<backend> open_sql_backend(std::string const& url, store_options const& how, backend_deps parts)
{
    return std::make_unique<sql_backend>(url, how, parts);
}

} // namespace baton::lock
