#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::lease {
struct lease_row;
}

namespace baton::trigger {

// How a seizure numbers its term.
enum class epoch_rule {
    counted, // one more than the row's
    hybrid,  // no less than the database's time in milliseconds, and above all that was heard
};
std::string_view to_string(epoch_rule rule);
std::optional<epoch_rule> parse_epoch_rule(std::string_view text);

// The epoch of a seizure of this row. `highest_heard`: of those that other nodes have named.
//
// A database that loses commits when it fails over may show a row from before the last seizures, and counting would
// give their numbers out again: to clients and nodes the new master's word would look like an old master's, and an old
// master's like its own. Under `hybrid` a number comes back only if the database's clock went back as well.
std::int64_t next_epoch(epoch_rule rule, lease::lease_row const& row, std::int64_t highest_heard);

} // namespace baton::trigger
