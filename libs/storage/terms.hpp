#pragma once

#include "libs/storage/ledger.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

// A term as its master records it once it acts. Times by the database's clock, as that node estimates it.
struct new_term {
    std::string owner; // incarnation
    std::string node;  // name
    std::string how;   // free, expired, guard: how it was won
    utc_time began_at;
    utc_time acting_at;
    std::optional<utc_time> led_until; // the predecessor's last sign of life, if known
    std::string predecessor;           // why the previous term ended, unless it recorded that itself
    int replayed = 0;
};

struct term_record {
    std::int64_t epoch = 0;
    std::string owner;
    std::string node;
    std::string how;
    utc_time began_at;
    utc_time acting_at;
    std::optional<duration> gap; // without a master: from the end of the previous term to acting_at
    std::optional<utc_time> ended_at;
    std::optional<std::string> why_ended;
    int replayed = 0;
};

// The history of terms: the master, how it won the term, why the term ended. For people; no decision depends on it.
class terms {
public:
    terms(database& deciding, database& shared) : deciding_(deciding), shared_(shared) {}

    // Inserts the row of this epoch and ends the earlier terms that are still open, in one transaction that touches the
    // fence. Throws not_master as the ledger does. Idempotent.
    awaitable<void> begin(fence mine, new_term const& what);

    // Called by the term's own node. Not fenced, and without effect once a successor has closed the row.
    awaitable<void> end(fence mine, utc_time at, std::string why);

    // The newest first; with `before`, only terms of lower epochs.
    awaitable<std::vector<term_record>> list(std::string name_space, std::optional<std::int64_t> before, int limit);

private:
    database& deciding_;
    database& shared_;
};

} // namespace baton::storage
