#pragma once
// A simulated SQLite file that several processes share.

#include "libs/sim/host.hpp"
#include "libs/sim/memory_store.hpp"
#include "libs/sim/session_table.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace baton::sim {

// Latency and faults of the disk. Probabilities are per call; each call draws all of them.
struct file_faults {
    duration min_latency = 50us; // each step of a call takes a time between these two
    duration max_latency = 500us;
    double slow = 0; // probability that a write takes up to `slow_max` longer, before or after it becomes visible
    duration slow_max = 0us;
    double fail = 0; // probability that the caller gets an error; half of these writes took effect
};

// A SQLite file that the processes of one machine (each of them a simulated host) share, as libs/storage uses it: one
// session per process, write-ahead log, busy timeout.
//
// Modelled. A call waits for its process's session and goes to the session's thread. If it writes, it waits for the
// file's one write lock, in steps like SQLite's busy handler, and fails after the busy timeout. It holds the lock until
// it is done. Then the answer returns. Each step takes time. A read sees the state at the instant of the read. A
// stopped process stops at its current step and keeps the write lock; a killed process loses its uncommitted changes
// and the lock at once. A call cannot be cancelled. `baton_now_us()` is the true time.
//
// Not modelled. A call is one step for the file, even if it has several statements without a transaction. Connecting,
// recovery and checkpoints take no time. Committed changes are never lost.
class sqlite_file {
public:
    sqlite_file(std::string name, environment env, std::uint64_t seed);
    ~sqlite_file();

    file_faults faults;

    std::unique_ptr<storage::database> open_by(host& process, duration busy_limit);

    // Access without latency and faults, for the schema and for a test's own queries.
    std::unique_ptr<storage::database> direct();
    void inspect(std::function<void(soci::session&)> const& look);

    void occupy_for(duration span);                // another program holds the write lock
    host const* writer() const { return writer_; } // the process that holds the write lock, or null

private:
    class session;
    class plain;
    class write_lock;
    struct drawn_faults;

    drawn_faults draw();
    awaitable<void> carry_out(host& process, duration busy_limit, memory_store::job const& work, bool in_transaction);
    awaitable<void> write(host& process, duration busy_limit, memory_store::job const& work, bool in_transaction,
                          drawn_faults const& drawn);
    awaitable<void> wait_to_write(host& process, duration busy_limit);
    awaitable<void> pass(host& process, duration span);

    std::string name_;
    environment env_;
    seeded_random random_;
    session_table no_sessions_; // stays empty: a file has no server sessions
    memory_store store_;
    host const* writer_ = nullptr;
    instant occupied_until_{};
    std::uint64_t calls_ = 0;
};

} // namespace baton::sim
