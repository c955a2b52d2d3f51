#pragma once

#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

// The candidate with the fewest edits (inserted, deleted, replaced or swapped letters), of those with at most a third
// of the word's letters and at least two; nothing without one.
std::optional<std::string> nearest(std::string const& word, std::vector<std::string> const& candidates);

} // namespace baton::cli
