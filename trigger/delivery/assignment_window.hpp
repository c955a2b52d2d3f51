#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace baton::trigger {

// Which assignments of one term still count. A message can come twice, late, or after a later one that replaced it;
// each has a number and names the lower ones that its sender still waits for.
class assignment_window {
public:
    // True when it counts: once for each number, and not when a later one has come that does not name it as open.
    bool take(std::int64_t number, std::vector<std::int64_t> const& open);

    // Nothing below this counts any more.
    std::int64_t settled() const { return open_.empty() ? highest_ + 1 : *open_.begin(); }

private:
    std::int64_t highest_ = 0;
    std::set<std::int64_t> open_; // not seen yet, though a later one was
};

} // namespace baton::trigger
