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

// The databases of one process. The lease has a session of its own, and on SQLite a file of its own, so that nothing
// delays a renewal. The membership has a session of its own, so that no other statement stands before a heartbeat.
struct stores {
    std::shared_ptr<storage::login_watch> logins; // of all databases here
    std::unique_ptr<storage::database> shared;    // several sessions, for everything else
    std::unique_ptr<storage::database> deciding;  // one session, for a master's decisions
    std::unique_ptr<storage::database> signals;   // one session, for a master's reading of signals
    std::unique_ptr<storage::database> members;   // one session, for the heartbeats of a node and the roster
    std::unique_ptr<storage::database> leasing;   // one session
    std::unique_ptr<storage::database> guarding;  // one session; only on a server
    std::unique_ptr<lease::lease_store> lease;
    std::unique_ptr<lease::guard_store> guard; // only if stores_settings::guarded
    std::string lock_namespace;
    bool password_from_file = false;
};

// "/data/baton.db" -> "/data/baton-lease.db"
std::string lease_file(std::string const& file);
// "/data/baton.db" -> "/data/baton.leader"
std::string guard_file(std::string const& file);

struct stores_settings {
    std::size_t sessions = 4;
    std::string lock_namespace = "master";
    duration call_limit = 10s; // for one statement, other than the lease's
    duration lease_limit = 1s; // for one statement of the lease; shorter than the time for which a renewal is trusted
    bool guarded = false;
    duration guard_silence = 2s;
};

// The folder of SQLite's files is made if it is missing. Throws not_private if other users can read it.
stores open_stores(storage::location const& where, stores_settings const& settings, time_source& time);

// The reason why the database is not available, and which setting to check if it has refused the user. Pure.
std::string with_remedy(std::string const& reason, bool password_from_file);

// Connects to the database and compares its version with the program's; makes and changes nothing. Returns what it
// found, for people. Throws what check_schema throws, `unavailable` above all.
std::string try_database(storage::location const& where);

// Brings the database, and SQLite's lease file, to this program's version. Calls `report` for each step.
awaitable<void> migrate(stores const& all, std::function<void(std::string const& step)> report);

// Waits until the database answers and has this program's version. A file of this host is migrated. A server is not,
// since `baton migrate` does that; another version there throws schema_mismatch. So does the namespace of another one.
// The log tells each new reason, and repeats one that stays once a minute. `waits` is called with the reason of each
// failed try. `then` (may be empty) belongs to each try.
awaitable<void> prepare(stores const& all, time_source& time, std::function<void(std::string const& reason)> waits,
                        std::function<awaitable<void>()> then = {});

} // namespace baton::cli
