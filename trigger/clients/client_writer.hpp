#pragma once

#include "libs/base/loop.hpp"
#include "libs/base/turn_queue.hpp"
#include "libs/storage/clients.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

struct write_limits {
    std::size_t rows = 500;       // in one group
    std::size_t bytes = 1u << 20; // the same
    // Of registrations; further ones are refused. From half of it on also those of a service that has its share of it.
    std::size_t waiting_rows = 10'000;
    std::size_t waiting_bytes = 32u << 20;
    duration longest_wait = 2'500ms; // for the turn of a write that a caller waits for
};

// A number of rows with their bytes.
struct write_size {
    std::size_t rows = 0;
    std::size_t bytes = 0;
};

// May a row of so many bytes be added to a group? The first one always. Pure.
bool fits(write_size const& group, std::size_t bytes, write_limits const& limits);

// May a service have a further row of so many bytes wait? `all` rows wait, `mine` of them are the service's, and rows
// of so many `services` wait. Pure.
bool may_wait(write_size const& all, std::size_t mine, std::size_t services, std::size_t bytes,
              write_limits const& limits);

// The one writer of the rows of this node's clients: one group at a time, so that whatever comes while the database is
// busy waits for the next group instead of for a session. Services take turns, so that the clients of one that register
// all at once delay no other's. The queue is bounded, and a write whose caller has gone is dropped from it unwritten.
// On the loop only.
class client_writer {
public:
    using group = std::vector<storage::client_write>;
    using answers = std::vector<storage::client_written>;
    using row_store = std::function<awaitable<answers>(group const& rows)>; // storage::clients::write

    client_writer(write_limits limits, row_store store, time_source& time, asio::any_io_executor loop);

    // Until cancelled.
    awaitable<void> run();

    // For a request: `wanted` (may be empty) is asked when the turn comes whether the caller is still there. Throws
    // overloaded when the queue is full or the turn does not come in time: then nothing was written. A later
    // registration of the same client takes the place of an earlier one that still waits, which is then overtaken.
    awaitable<storage::client_written> write(storage::client_write row, std::function<bool()> wanted);
    // For work of the node itself, which the bounds do not refuse: the caller has one such call at a time. Rows that
    // are not `wanted` (which may be empty) any more when their turn comes are not kept. Throws unavailable; then the
    // rows may or may not have been written.
    using filter = std::function<bool(storage::client_write const& row)>;
    awaitable<answers> write_own(group rows, filter wanted);

    std::size_t waiting() const { return queue_.size(); }
    std::uint64_t refused() const { return refused_; }

private:
    struct entry;
    using queue = turn_queue<std::shared_ptr<entry>>;

    std::string owner_of(storage::client_write const& row) const;
    std::shared_ptr<entry> add(storage::client_write row);
    bool replaced(storage::client_write const& row, storage::client_written& answer);
    void refuse_if_full(storage::client_write const& row, std::size_t bytes);
    void remove(entry& one);
    void leave_queue(entry& one);
    void end(entry& one, storage::client_written const& answer, std::exception_ptr failure);
    std::vector<std::shared_ptr<entry>> take();
    awaitable<bool> write_group(std::vector<std::shared_ptr<entry>> taken);

    write_limits limits_;
    row_store store_;
    time_source& time_;
    asio::any_io_executor loop_;
    queue queue_;
    std::size_t bytes_ = 0;                                        // of the queue
    std::unordered_map<std::string, std::shared_ptr<entry>> puts_; // that wait, by instance: the last one
    waker bell_;
    std::uint64_t refused_ = 0;
    instant said_at_{}; // that the queue is full
};

} // namespace baton::trigger
