#pragma once

#include "libs/base/time.hpp"
#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/migrations.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::cli {

// The databases of one process. The lease has a session (on SQLite a file) of its own, so that nothing delays a
// renewal.
struct stores {
    std::unique_ptr<storage::database> shared;   // several sessions
    std::unique_ptr<storage::database> deciding; // one: what a master decides
    std::unique_ptr<storage::database> leasing;  // one
    std::unique_ptr<storage::database> guarding; // one, on MySQL
    std::unique_ptr<lease::lease_store> lease;
    std::unique_ptr<lease::guard_store> guard; // if asked for
};

// "/data/baton.db" -> "/data/baton-lease.db"
std::string lease_file(std::string const& file);
// "/data/baton.db" -> "/data/baton.leader"
std::string guard_file(std::string const& file);

struct stores_settings {
    std::size_t sessions = 4;
    std::string lock_namespace = "master";
    duration call_limit = 10s; // for one statement of all others
    duration lease_limit = 1s; // for one statement of the lease: less than it may be trusted
    bool guarded = false;
    duration guard_silence = 2s;
};

stores open_stores(storage::location const& where, stores_settings const& how, time_source& time);

// Brings the database, and SQLite's lease file, to this program's version; tells `report` of each step.
awaitable<void> migrate(stores const& of, std::function<void(std::string const& step)> report);

// Waits until the database answers and stands at this program's version. SQLite belongs to one host, so it is brought
// there; on MySQL that is `baton migrate`'s, and another version throws schema_mismatch.
awaitable<void> prepare(stores const& of, time_source& time);

} // namespace baton::cli
