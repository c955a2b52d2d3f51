#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::lease {
struct lease_row;
}

namespace baton::trigger {

// The numbering of terms.
enum class epoch_rule {
    counted, // one more than the row's epoch
    hybrid,  // at least the database's time in milliseconds, and above every known epoch
};
std::string_view to_string(epoch_rule rule);
std::optional<epoch_rule> parse_epoch_rule(std::string_view text);

// The epoch for a seizure of this row. `highest_heard`: the highest epoch that this node has read before.
//
// A database that loses commits in a fail-over may show the row from before the last seizures. Counting would then
// reuse their epochs, and nodes and clients could not tell the new master from an old one. Under `hybrid` an epoch is
// reused only if the database's clock went back as well.
std::int64_t next_epoch(epoch_rule rule, lease::lease_row const& row, std::int64_t highest_heard);

} // namespace baton::trigger
