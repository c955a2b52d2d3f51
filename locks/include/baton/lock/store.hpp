#pragma once
// Where locks are kept. A store has a thread of its own, and sessions with a thread each; a call that blocks uses one
// of them on its caller's thread.

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
    std::size_t sessions = 2; // that all locks of the store share
    std::size_t rows = 8;     // row locks held or waited for at once: a session and a thread each, made when needed
    std::chrono::seconds limit{2}; // for a connect and for a statement, 1 to 60
    bool create_file = true;       // SQLite: make the file if it is absent
    // Redis: how many replicas must confirm each grant and renewal; it does not hold without them.
    std::size_t redis_wait_replicas = 0;
    // Redis by sentinels that ask for a password; the URL's is the servers' own. Without a user: "default".
    std::string redis_sentinel_user = {};
    std::string redis_sentinel_password = {};
    // ZooKeeper: how long a process is silent until its locks are another's. The server bounds it, by default to 4 to
    // 40 seconds.
    std::chrono::milliseconds zookeeper_session{10'000};
};

class store {
public:
    // "mysql://user:password@host:port/database", "sqlite:/path/to/locks.db", "zookeeper://host:port,host:port/chroot";
    // for Redis "redis://[user:password@]host:port[/db]", the master of this name by its sentinels
    // "redis-sentinel://[user:password@]host:port,host:port/master[/db]", some nodes of a cluster
    // "redis-cluster://[user:password@]host:port,host:port", or for a majority of independent servers
    // "redlock://[user:password@]host:port,host:port,host:port[/db]". Connects at the first call. Throws
    // std::invalid_argument for what is none of these, or what this build lacks.
    explicit store(std::string const& url, store_options options = {});
    // Gives back what is still held, for two seconds and one call's `limit` at most; whoever waits is told `cancelled`.
    // Not on its own thread.
    ~store();
    store(store const&) = delete;
    store& operator=(store const&) = delete;

    // Makes the tables, or brings them to this version. `baton migrate` does the same. Throws std::system_error.
    void create_tables();

    // Each call makes another holder. A name has 1 to 190 bytes of UTF-8; names of one kind are no names of another.
    // Throws std::invalid_argument.
    //
    // A row of a table, taken by one conditional UPDATE when it is free or expired by the database's clock.
    named_lock record(std::string name, lock_options options = {});
    // The same, but taken from a silent holder only when also the own clock has seen it silent for its whole time: as
    // in an election, no step of the database's clock gives it to two.
    named_lock lease(std::string name, lock_options options = {});
    // A row locked by a transaction in a session of its own, for which the server has waiters queue. It has no token. A
    // session that is lost is a lost lock; the server ends one that is silent for `ttl`, in whole seconds. Not on
    // SQLite (std::invalid_argument), and refused on Galera (lock_errc::misuse at the first lock), where it locks one
    // node only.
    named_lock row(std::string name, lock_options options = {});
    // An expiring key on a Redis server, for efficiency: the lock is given twice when a replica is promoted that had
    // not heard of it, when the server's clock is stepped, and when a server restarts that did not write it down. Who
    // waits is told of a release. Tokens rise while the server's data survives. With redlock: it is held while a
    // majority of the servers has the key, so that a minority may be away; it has no token then, and who waits looks
    // again and again.
    named_lock redis(std::string name, lock_options options = {});

    // The first node of a queue in ZooKeeper: who comes first is served first. All locks of a store share its session,
    // and are lost with it. `ttl` is half of the session's time at most; a holder that dies without a word keeps the
    // lock for the whole of it.
    named_lock zookeeper(std::string name, lock_options options = {});

    // One of so many at once (1 to 10,000): each holder has one permit. In databases, in ZooKeeper and on one Redis
    // server, with the guarantee that plain locks have there. All who hold permits of a name at one time agree on their
    // number: who asks with another is told lock_errc::misuse, until nobody holds one.
    named_lock semaphore(std::string name, std::size_t permits, lock_options options = {});
    // Many readers or one writer; on the same. A writer that waits for readers to go keeps further ones out.
    read_write_lock read_write(std::string name, lock_options options = {});

    // A record, the classic way: INSERT takes it and DELETE gives it back. It excludes records of its name, and its
    // tokens are theirs. For tables that must be empty when nothing is held; else prefer record(), whose row stays: all
    // grants and releases of this one, of all names, wait for one row.
    named_lock record_classic(std::string name, lock_options options = {});

    // Removes records, leases, semaphores and read/write locks that nobody has held for `age`, at least a minute (on
    // SQLite also those of an earlier boot of the host); what is renewed or taken meanwhile stays, and a lease that a
    // dead holder left. Returns how many. Throws std::system_error.
    std::size_t reap(std::chrono::seconds age);

    std::vector<kind_metrics> metrics() const;

private:
    named_lock make(char const* kind, std::string name, lock_options options);
    named_lock make(char const* kind, std::string name, lock_options options, lock_share const& of);

    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace baton::lock
