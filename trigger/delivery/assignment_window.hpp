#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace baton::trigger {

// Tells which assignments of one term still count. A message can come twice, late, or after one that replaced it. Each
// message has a number, and names the lower numbers that its sender still waits for.
class assignment_window {
public:
    // True if the message counts: once for each number, and not if a later message did not name it as open.
    bool take(std::int64_t number, std::vector<std::int64_t> const& open);

    // No lower number counts any more.
    std::int64_t settled() const { return open_.empty() ? highest_ + 1 : *open_.begin(); }

    std::int64_t highest() const { return highest_; }

private:
    std::int64_t highest_ = 0;
    std::set<std::int64_t> open_; // not seen yet, though a higher number was
};

} // namespace baton::trigger
