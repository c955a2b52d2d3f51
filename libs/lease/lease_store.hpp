#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace baton::storage {
class database;
}

namespace baton::lease {

// The lock row at the start of the statement that read it.
struct lease_row {
    std::optional<std::string> owner; // incarnation; none when free
    std::int64_t epoch = 0;           // `version`
    std::int64_t renew_seq = 0;
    duration ttl{};              // the holder's
    std::int64_t guard_conn = 0; // the guard's session; 0: the lease is not guarded (guard_store.hpp)
    std::string guard_server;
    duration guard{}; // the wait of the guard's next holder before it may seize
    std::string owner_addr;
    duration age{};       // since the last renewal, by the store's clock; may be negative after a step of that clock
    bool dated = true;    // false: renewed before the host rebooted, at an unknown time
    bool expired = false; // by the store's clock (and boot, on SQLite)
    utc_time utc;         // the store's wall clock at the start of the statement
    std::int64_t id = 1;  // of the namespace
};

// A conditional change of the row's holder, for the row that has `seen_epoch` and `seen_seq`.
struct seizure {
    std::string owner;
    std::string address;
    duration ttl{};
    std::int64_t seen_epoch = 0;
    std::int64_t seen_seq = 0;
    std::int64_t new_epoch = 0;
};

// The lock row of one namespace. Each method is one single-row statement that carries all its conditions, so that it is
// harmless even if it is executed late. Each throws `unavailable` when the outcome is unknown. It needs a database of
// its own with one session. One coroutine at a time. Source of the protocol: docs/election.md.
class lease_store {
public:
    virtual ~lease_store() = default;

    // Inserts the row (version 1, no owner) unless it is there. The first row of a database gets id 1.
    virtual awaitable<void> ensure() = 0;
    // Throws unavailable when the row is missing.
    virtual awaitable<lease_row> poll() = 0;
    // True when this call made `owner` the holder of `new_epoch`.
    virtual awaitable<bool> seize(seizure bid) = 0;
    // False when the lease is not held under this epoch any more.
    virtual awaitable<bool> renew(std::string owner, std::int64_t epoch) = 0;
    // Sets the row's update time as a renewal does. False when the lease is not held under this epoch any more.
    virtual awaitable<bool> release(std::string owner, std::int64_t epoch) = 0;
};

// By the database's clock, where nodes share one (dialect::shared_clock) and in simulations.
std::unique_ptr<lease_store> make_clocked_lease(storage::database& own, std::string name_space);

// For a file of one host: by CLOCK_BOOTTIME, read before each statement is sent, and the boot id.
std::unique_ptr<lease_store> make_boot_lease(storage::database& own, std::string name_space, time_source& time,
                                             std::string boot);

// Until a database can have several namespaces: inserts the row of this namespace with id 1, to which all rows of the
// tables belong, unless it is there. Throws storage::schema_mismatch if that is the row of another namespace. The lease
// is a store of the same database and namespace.
awaitable<void> claim_database(storage::database& of_lease, lease_store& lease, std::string name_space);

struct raised_epoch {
    std::int64_t before = 0;
    bool raised = false; // false: the row's epoch was as high already
};

// Raises the epoch of the lock row, so that the next term's epoch is above `least`. For a database that was restored
// from a state before terms that clients remember: they refuse every lower epoch. The present holder, if any, loses the
// lease at its next renewal. Throws unavailable when there is no row. Calls on one database, one at a time.
awaitable<raised_epoch> raise_epoch(storage::database& of_lease, std::string name_space, std::int64_t least);

} // namespace baton::lease
