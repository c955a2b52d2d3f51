#pragma once

#include "libs/base/file_lock.hpp"
#include "libs/lease/lease_store.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace baton::lease {

// The guard of a lease: a lock that ends with its holder's session or process. The lease's holder has it, and the other
// nodes wait for it. A grant shows at once that the holder's *session* has ended, but not that the holder has. So the
// granted node waits for the time in the row, and then seizes the lease on the condition that no node has armed it
// again. The guard only makes a take-over quick. Safety depends on the lock row alone.
//
// Each call may throw `unavailable`. Then the session is a new one, and its locks are lost or in doubt. One coroutine
// makes the calls, except `interrupt`.
class guard_store {
public:
    virtual ~guard_store() = default;

    // True when a grant proves that the holder's process has ended (a file lock): then it needs no pings either.
    virtual bool proves_end() const = 0;

    // Waits for the lock, for at most `limit` (a server rounds up to whole seconds; 0 tries once). Returns the number
    // of the grant, which the other calls take, or 0 when it was not granted.
    virtual awaitable<std::int64_t> take(duration limit) = 0;
    // The server of the last grant. A statement sent there without an answer may still take effect, even if the session
    // is on another server now, until this node is granted the lock there again.
    virtual std::string const& server() const = 0;
    // Ends a `take` that another coroutine has in progress. Without effect if it comes too early or too late.
    virtual awaitable<void> interrupt() = 0;
    virtual awaitable<void> drop() = 0;

    // Whether this session holds the lock under that grant.
    virtual awaitable<bool> held(std::int64_t grant) = 0;
    // Whether a session other than that of `grant` holds the lock; false when it is free.
    virtual awaitable<bool> held_elsewhere(std::int64_t grant) = 0;
    // Ends the session that holds the lock: a ghost, which its process has lost or which outlived its process.
    virtual awaitable<void> evict() = 0;

    // The lock row as the guard's session sees it, and whether it was armed on this same server.
    struct guarded_row {
        lease_row row;
        bool armed_here = false;
    };
    virtual awaitable<guarded_row> poll() = 0;

    // Marks the row as guarded by the lock, with the wait of the next holder. True when the lease is `owner`'s under
    // `epoch` and the lock is held under `grant`.
    virtual awaitable<bool> arm(std::string owner, std::int64_t epoch, duration wait, std::int64_t grant) = 0;
    virtual awaitable<bool> disarm(std::string owner, std::int64_t epoch) = 0;

    // Seizes an armed row before it expires, and arms it for the new holder. Succeeds only on the session of the grant
    // and while that holds the lock. `bid.seen_seq` is not compared, since a renewal does not prove a guard.
    virtual awaitable<bool> seize(seizure bid, duration wait, std::int64_t grant) = 0;
};

// A named lock of the server (named_lock_words). `own` must be a one-session database used for nothing else; `other`
// ends waits on it. The lock's name may change between versions of this program: nodes of two versions then do not see
// each other's locks, and a lease that the other version armed counts as armed on another server, which is safe and as
// slow as without a guard.
std::unique_ptr<guard_store> make_named_guard(storage::database& own, storage::database& other, std::string name_space);

// A lock of the kernel on `file` (flock), for a database file of one host. `own` and `lease` are those of the lease.
std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::string file, time_source& time, std::string boot);
std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::unique_ptr<exclusive_lock> lock, time_source& time, std::string boot);

} // namespace baton::lease
