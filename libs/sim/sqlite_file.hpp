#pragma once

#include "libs/sim/host.hpp"
#include "libs/sim/memory_store.hpp"
#include "libs/sim/session_table.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace baton::sim {

// How slow and bad the disk is. Probabilities are per call; each call draws all of them.
struct file_faults {
    duration quickest = 50us; // each step of a call takes between these two
    duration slowest = 500us;
    double slow = 0; // one takes up to `slow_most` longer: before a write is there for others to see, or after that
    duration slow_most = 0us;
    double fail = 0; // the caller hears of an error, though half of these writes have happened
};

// A SQLite file that the processes of one machine share (each a simulated host), as libs/storage uses it: one session a
// process, write-ahead log, a busy time-out.
//
// Modelled. A call waits for its process's session, goes to the thread of that, waits for the file's one write lock if
// it writes (in steps, like SQLite's busy handler, and is refused after the time-out), holds it until it is done, and
// comes back; each step takes its time. What is read is what stood when it was read. A process that is stopped stays
// where it is, with the write lock if it has that; one that is killed leaves nothing of what it had not committed, and
// frees the lock at once. A call cannot be cancelled. `baton_now_us()` is the true time.
//
// Not modelled. A call is one step for the file, also one of several statements without a transaction. Connecting takes
// no time, recovery and checkpoints neither. What was committed is never lost.
class sqlite_file {
public:
    sqlite_file(std::string name, asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed);
    ~sqlite_file();

    file_faults faults;

    std::unique_ptr<storage::database> open_by(host& who, duration busy_limit);

    // Takes no time, and nothing hinders it: for the schema, and for the eyes of a test.
    std::unique_ptr<storage::database> direct();
    void inspect(std::function<void(soci::session&)> const& look);

    void occupy_for(duration span);                // another program writes
    host const* writer() const { return writer_; } // whose statement has the write lock

private:
    class session;
    class plain;
    class write_lock;
    struct fate;

    fate draw();
    duration between(duration least, duration most);
    awaitable<void> carry_out(host& who, duration busy_limit, memory_store::job const& work, bool in_transaction);
    awaitable<void> write(host& who, duration busy_limit, memory_store::job const& work, bool in_transaction,
                          fate const& luck);
    awaitable<void> wait_to_write(host& who, duration busy_limit);
    awaitable<void> pass(host& who, duration span);

    std::string name_;
    asio::io_context& loop_;
    virtual_time& time_;
    trace& log_;
    seeded_random random_;
    session_table nobody_; // there are no sessions of a server
    memory_store store_;
    host const* writer_ = nullptr;
    instant occupied_until_{};
    std::uint64_t calls_ = 0;
};

} // namespace baton::sim
