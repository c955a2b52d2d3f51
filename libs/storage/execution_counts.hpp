#pragma once
// How many executions were scheduled in each minute and hour, and what became of them: rows of `execution_count`, which
// the master computes from the ledger. A row is a function of the ledger alone, so counting a minute again, by
// whichever master, makes its rows exact as of then.

#include "libs/protocol/service_key.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/retention.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace baton::storage {

// The upper bounds of the lag histogram; the last of its counts is of longer ones.
inline constexpr std::array<duration, 8> lag_bounds{10ms, 30ms, 100ms, 300ms, 1s, 3s, 10s, 60s};
inline constexpr std::size_t late_from = 5; // the first of the counts that are late
inline constexpr duration late_after = lag_bounds[late_from - 1];

struct tally {
    std::int64_t fired = 0; // executions but those skipped, and those cancelled before their time; not shards
    std::int64_t succeeded = 0;
    std::int64_t failed = 0; // and timed out
    std::int64_t cancelled = 0;
    std::int64_t skipped = 0; // firings without an execution too
    std::int64_t open = 0;    // when they were counted
    // Of those that have started: from the scheduled instant to the start of the first attempt, by the client's clock.
    std::array<std::int64_t, lag_bounds.size() + 1> lags{};

    std::int64_t late() const;
    std::int64_t started() const;
    // The lag that this part of those started did not exceed, interpolated within a bucket; none if none started. A lag
    // beyond the last bound counts as twice that bound.
    std::optional<duration> lag(double part) const;
    tally& operator+=(tally const& other);
    friend bool operator==(tally const&, tally const&) = default;
};

using tallies = std::map<protocol::service_key, tally>;

struct counted_piece {
    tallies counts;
    std::vector<task_id> long_runs; // tasks with a success of at least this time in its first attempt; shards too
    ledger_place last;              // continue behind it
    bool more = false;              // there may be more rows before the end
};

struct counted_minute {
    utc_time since;
    std::int64_t open = 0;
};

struct count_row {
    utc_time since;
    tally counts;
};

enum class count_span { minute = 1, hour = 60 };

class execution_counts {
public:
    explicit execution_counts(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // Counts at most `rows` executions behind `from` that were scheduled before `until`, by the present service of
    // their task; those of deleted tasks under the service "". With `long_run` the same reading finds the tasks that
    // ran for that time.
    awaitable<counted_piece> count(ledger_place from, utc_time until, std::size_t rows,
                                   std::optional<duration> long_run = {});
    // The firings in ranges of skipped ones that ended in this time.
    awaitable<tallies> skipped(utc_time from, utc_time until);

    // Replaces the rows of a minute, and of the sum of all, which is written even without any; `with_hour` computes the
    // rows of its hour anew from its minutes. Writes nothing and returns false unless the fence stands at this epoch.
    awaitable<bool> put(fence mine, utc_time minute, tallies counts, bool with_hour);

    // When the first execution at or after `from` was scheduled; nothing if there is none.
    awaitable<std::optional<utc_time>> first_since(utc_time from);
    // The counted minutes from `since` on, by the sum of all.
    awaitable<std::vector<counted_minute>> minutes(utc_time since);
    // The rows from `since` on, in order; of an empty key those of all.
    awaitable<std::vector<count_row>> read(count_span span, utc_time since, protocol::service_key of);

    // Deletes up to `rows` rows of the span before `limit`. True when there may be more.
    awaitable<bool> forget(count_span span, utc_time limit, std::size_t rows);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
