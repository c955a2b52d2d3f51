#pragma once

#include "libs/storage/ledger.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

// A term as its master tells of it once it acts. Times by the database's clock, as that node estimates it.
struct new_term {
    std::string owner; // incarnation
    std::string node;  // name
    std::string how;   // free, expired, guard: how it was won
    utc_time began_at;
    utc_time acting_at;
    std::optional<utc_time> led_until; // the predecessor's last sign of life; none where nobody knows
    std::string predecessor;           // why a term before it ended, should it not have told by itself
    int replayed = 0;
};

struct term_record {
    std::int64_t epoch = 0;
    std::string owner;
    std::string node;
    std::string how;
    utc_time began_at;
    utc_time acting_at;
    std::optional<duration> gap; // from the end of the term before to acting_at: nobody led
    std::optional<utc_time> ended_at;
    std::optional<std::string> why_ended;
    int replayed = 0;
};

// The history of terms: who led, how that was won, why it ended. For people; nothing decides by it.
class terms {
public:
    terms(database& deciding, database& shared) : deciding_(deciding), shared_(shared) {}

    // Inserts the row of this epoch and ends those before it that are still open, in one transaction that touches the
    // fence; throws not_master as the ledger does. Repeated, it changes nothing.
    awaitable<void> begin(fence mine, new_term const& what);

    // By the term's own node; not fenced, and without effect once a successor has closed the row.
    awaitable<void> end(fence mine, utc_time at, std::string why);

    // The newest first, from below the epoch `before` if that is given.
    awaitable<std::vector<term_record>> list(std::string name_space, std::optional<std::int64_t> before, int limit);

private:
    database& deciding_;
    database& shared_;
};

} // namespace baton::storage
