#include "trigger/delivery/assignment_window.hpp"

namespace baton::trigger {

bool assignment_window::take(std::int64_t number, std::vector<std::int64_t> const& open)
{
    if (number <= highest_)
        return open_.erase(number) != 0;
    std::set<std::int64_t> still;
    for (auto const each : open)
        if (each < number && (each > highest_ || open_.contains(each)))
            still.insert(each);
    open_ = std::move(still);
    highest_ = number;
    return true;
}

} // namespace baton::trigger
