#pragma once

#include "libs/base/id.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <string>

namespace baton::storage {

// A place in the ledger's own order, that of its unique key: where a look at it goes on. By default its beginning.
struct ledger_place {
    utc_time scheduled_at{duration::min()};
    task_id task{};
    std::int64_t run_key = 0;
};

struct forgotten {
    ledger_place last; // looked at
    std::size_t deleted = 0;
    bool more = false; // there is more behind `last` to look at
};

// Takes away what has ended long ago, in pieces: what may go is read without a lock, along an index on time, and then
// deleted by its key in a transaction of its own. Whatever may go now may go for ever, so no piece needs the fence, and
// several masters that are at it do no harm.
class retention {
public:
    explicit retention(database& shared) : shared_(shared) {}

    // Looks at up to `rows` executions behind `from` that were scheduled before `limit`, and deletes those that ended
    // before it, with their attempts. `rows` counts those as well, but that one execution goes whole. What stays:
    //  - an execution that is open, and a shard whose broadcast is, because the shards decide how that ends;
    //  - a broadcast with an open shard;
    //  - what a fixed-delay task waits for, and a firing that its task has not passed, so that none can happen again.
    awaitable<forgotten> executions(utc_time limit, ledger_place from, std::size_t rows);

    // Idempotency keys that count no more, the oldest first. True when there may be more.
    awaitable<bool> keys(std::size_t rows);

    // All but the newest thousand terms, the oldest first. True when there may be more.
    awaitable<bool> terms(std::string name_space, std::size_t rows);

private:
    database& shared_;
};

} // namespace baton::storage
