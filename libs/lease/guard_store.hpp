#pragma once

#include "libs/base/file_lock.hpp"
#include "libs/lease/lease_store.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace baton::lease {

// The guard of a lease: a lock that dies with its holder, held beside the lease by whoever has that, and waited for by
// the others. Who is granted it learns at once that the holder's *session* has ended, which proves nothing about the
// holder: it must wait for as long as the row says, and then seize under a condition that nobody has armed anew. So the
// guard makes a take-over quick, and nothing but the lock row makes it safe.
//
// Each call may throw `unavailable`; the session is then another one, and what it held is lost or in doubt. One
// coroutine calls, but for `interrupt`.
class guard_store {
public:
    virtual ~guard_store() = default;

    // True when a grant proves that the holder's process has ended (a file lock): then it needs no pings either.
    virtual bool proves_end() const = 0;

    // Waits for the lock, for at most `limit` (on MySQL in whole seconds; 0 looks once). The number of the grant, which
    // the other calls name; 0 when it was not granted.
    virtual awaitable<std::int64_t> take(duration limit) = 0;
    // Where the last grant was given. What was sent there and not answered may still take effect, wherever a later
    // session is, until this node is granted the lock there again.
    virtual std::string const& server() const = 0;
    // Ends a `take` in progress, from outside; may come too early or too late.
    virtual awaitable<void> interrupt() = 0;
    virtual awaitable<void> drop() = 0;

    // Whether this session holds the lock under that grant.
    virtual awaitable<bool> held(std::int64_t grant) = 0;
    // Whether another session holds it than that of `grant`; false when it is free.
    virtual awaitable<bool> held_elsewhere(std::int64_t grant) = 0;
    // Ends the session that holds the lock: a ghost's, whose process does not know or is no more.
    virtual awaitable<void> evict() = 0;

    // The lock row as the guard's session sees it, and whether it was armed on this same server.
    struct guarded_row {
        lease_row row;
        bool armed_here = false;
    };
    virtual awaitable<guarded_row> poll() = 0;

    // Writes into the row of the lease's holder that the lock guards it, and how long its next holder must wait. True
    // when the lease is `owner`'s under `epoch` and the lock is held under `grant`.
    virtual awaitable<bool> arm(std::string owner, std::int64_t epoch, duration wait, std::int64_t grant) = 0;
    virtual awaitable<bool> disarm(std::string owner, std::int64_t epoch) = 0;

    // Seizes an armed row without regard to its expiry, and arms it for the new holder; only on the session of the
    // grant and while that holds the lock. `bid.seen_seq` is not compared: a renewal does not prove a guard.
    virtual awaitable<bool> seize(seizure bid, duration wait, std::int64_t grant) = 0;
};

// A named lock of the server (GET_LOCK). `own` must be a one-session database used for nothing else; `other` ends waits
// on it. On MySQL and MariaDB, and on the simulated database.
std::unique_ptr<guard_store> make_named_guard(storage::database& own, storage::database& other, std::string name_space);

// A lock of the kernel on `file` (flock), for SQLite on one host; `own` and `lease` are those of the lease.
std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::string file, time_source& time, std::string boot);
std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::unique_ptr<exclusive_lock> lock, time_source& time, std::string boot);

} // namespace baton::lease
