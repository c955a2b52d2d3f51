#pragma once
// A store keeps locks on one server, which its URL names. It makes locks, and creates and tidies its tables.
//
// A store has one thread, and database sessions with a thread each. A call that blocks uses a session on the caller's
// own thread. Any thread may call any function except the destructor. Functions throw std::invalid_argument for wrong
// arguments and std::system_error (lock_errc) for failures.

#include <baton/lock/metrics.hpp>
#include <baton/lock/named_lock.hpp>
#include <baton/lock/read_write_lock.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace baton::lock {

struct lock_share;

struct store_options {
    std::chrono::seconds limit{2}; // for a connect and for one answer of the server, 1 to 60
    // Databases:
    std::size_t sessions = 2;     // shared by all locks of the store except row locks, 1 to 1000
    std::size_t row_sessions = 8; // row locks held or awaited at once; each has a session and a thread, 1 to 1000
    bool create_file = true;      // SQLite: create a missing file
};

// The form of an exclusive lock in a database (docs/locks.md compares them). Other servers have one form each.
enum class sql_lock {
    // A row that one conditional UPDATE takes if it is free, or expired by the database's clock. The default.
    record,
    // A record that a waiter takes from a silent holder only if its own clock agrees: no step of the database's clock
    // gives it to two holders.
    lease,
    // A transaction on SELECT ... FOR UPDATE in a session of its own. Waiters queue in the server. No token. Losing the
    // session loses the lock, and the server ends a session that is silent for `ttl`, in whole seconds. MySQL and
    // MariaDB; refused on Galera (lock_errc::misuse at the first lock), where it locks one node only.
    row,
    // A record whose row exists only while it is held: INSERT takes it, DELETE releases it. It excludes records of its
    // name and shares their tokens. All grants and releases of all names wait for one row, so prefer `record`.
    classic_record,
};

class store {
public:
    // The URL is one of
    //     mysql://user:password@host:port/database
    //     sqlite:/path/to/locks.db
    //     redis://[user:password@]host[:port][/db]
    //     redis-sentinel://[user:password@]host[:port],host[:port]/master[/db]
    //     redis-cluster://[user:password@]host[:port],host[:port]
    //     redlock://[user:password@]host[:port],host[:port],host[:port][/db]
    //     zookeeper://host[:port],host[:port][/chroot]
    // and may end in parameters, "?name=value&name=value", with %xx in values:
    //     wait_replicas     Redis: replicas that must confirm a grant or renewal, 0 to 100 (0)
    //     sentinel_user     redis-sentinel: login of the sentinels; the URL's own login is that of the servers
    //     sentinel_password redis-sentinel
    //     session           ZooKeeper: time without contact after which the server frees a store's locks, such as 10s
    //                       or 2500ms, 200 ms to an hour (10s); the server bounds it, by default to 4 to 40 s
    // Connects at the first call. Throws std::invalid_argument if the URL is wrong or this build lacks the server.
    explicit store(std::string const& url, store_options options = {});
    // Releases all held locks, for at most two seconds plus the `limit` of one call. Waiting callers get
    // lock_errc::cancelled. Must not run on the store's own thread.
    ~store();
    store(store const&) = delete;
    store& operator=(store const&) = delete;

    // Creates the tables, or brings them to this version.
    void create_tables();

    // Each call below makes a new holder; nothing is locked yet. A name has 1 to 190 bytes of UTF-8. The same name
    // in another form of lock is another lock.

    // The exclusive lock of the store's server:
    //   database   sql_lock::record.
    //   Redis      a key that expires. For efficiency: the server gives it to a second holder after it promotes a
    //              replica without the key, after its clock steps, or after it restarts without the key. Tokens rise
    //              while the server keeps its data. redlock: a majority of the servers has the key; no token.
    //   ZooKeeper  the first node of a queue: first come, first served. All locks of a store share one session and are
    //              lost with it. `ttl` is at most half of the session's time; the lock of a killed holder becomes free
    //              after the whole of it.
    [[nodiscard]] named_lock lock(std::string name, lock_options options = {});
    // An exclusive lock in this form. Only in a database; sql_lock::row not on SQLite.
    [[nodiscard]] named_lock lock(std::string name, sql_lock form, lock_options options = {});

    // A lock on one of `permits` (1 to 10,000) permits. Not on redlock. All holders of a name use the same number of
    // permits: a caller with another number gets lock_errc::misuse until no permit is held.
    [[nodiscard]] named_lock semaphore(std::string name, std::size_t permits, lock_options options = {});
    // Many readers or one writer. Not on redlock. A writer that waits for readers keeps further readers out.
    [[nodiscard]] read_write_lock read_write(std::string name, lock_options options = {});

    // Removes the rows and nodes of locks that were free for `age`, at least a minute, and returns how many. Locks that
    // are renewed or taken meanwhile stay, and so does a lease of a dead holder. On SQLite it also removes locks from
    // before the last boot of the host.
    std::size_t reap(std::chrono::seconds age);

    std::vector<kind_metrics> metrics() const;

private:
    named_lock make(std::string const& kind, std::string name, lock_options options, lock_share const& share);

    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace baton::lock
