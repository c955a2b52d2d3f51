#pragma once

#include "libs/base/id.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <string>

namespace baton::storage {

// A place in the order of the ledger's unique key, from which reading continues. The default is the beginning.
struct ledger_place {
    utc_time scheduled_at{duration::min()};
    task_id task{};
    std::int64_t run_key = 0;
};

// So long a master asks for pauses that have ended, and a day more.
inline constexpr duration pause_memory = 24h * 8;

struct forgotten {
    ledger_place last; // the last row read
    std::size_t deleted = 0;
    bool more = false; // there may be more rows behind `last`
};

// Deletes old executions, keys and terms in small steps. A step reads the deletable rows along an index on time,
// without locks, and then deletes them by key in a transaction of its own. A row that may be deleted stays deletable,
// so no step needs the fence, and several masters may run it at once.
class retention {
public:
    explicit retention(database& shared) : shared_(shared) {}

    // Reads up to `rows` executions behind `from` that were scheduled before `limit`, and deletes those that ended
    // before it, with their attempts. `rows` limits the attempts as well, except that an execution is deleted whole. It
    // keeps:
    //  - an open execution, and a shard of an open broadcast, because the shards decide the broadcast's outcome;
    //  - a broadcast with an open shard;
    //  - the execution that a fixed-delay task waits for, and a firing that its task has not passed, since a deleted
    //    firing could be planned again.
    awaitable<forgotten> executions(utc_time limit, ledger_place from, std::size_t rows);

    // Deletes ranges of skipped firings that lie before `limit`, the oldest first. True when there may be more.
    awaitable<bool> skipped(utc_time limit, std::size_t rows);

    // Deletes versions of topics that have not changed for a day.
    awaitable<void> topic_versions();
    // Deletes expired idempotency keys, the oldest first. True when there may be more.
    awaitable<bool> keys(std::size_t rows);

    // Deletes the states of rate limits that have all their tokens again. True when there may be more.
    awaitable<bool> limit_states(std::size_t rows);

    // Deletes all but the newest thousand terms, the oldest first. True when there may be more.
    awaitable<bool> terms(std::string name_space, std::size_t rows);

    // Deletes versions of calendars that others have replaced before `limit`: tasks have copies of what they use. True
    // when there may be more.
    awaitable<bool> calendar_versions(utc_time limit, std::size_t rows);

    // Deletes pauses that ended before `limit`, but not before a master has forgotten them (pause_memory). True when
    // there may be more.
    awaitable<bool> pauses(utc_time limit, std::size_t rows);

private:
    database& shared_;
};

} // namespace baton::storage
