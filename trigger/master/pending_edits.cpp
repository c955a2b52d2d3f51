#include "trigger/master/pending_edits.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration longest_edit = 5s; // a later one is refused by its own transaction, and web draws it anew
}

void pending_edits::announced(signal_id which, task_id task, utc_time line, instant now)
{
    if (known_.try_emplace(which, announcement{task, line, now}).second)
        lines_[task].emplace(line, which);
}

void pending_edits::keep_only(std::set<signal_id> const& which)
{
    for (auto each = known_.begin(); each != known_.end();) {
        if (which.contains(each->first)) {
            ++each;
            continue;
        }
        auto const lines = lines_.find(each->second.task);
        lines->second.erase({each->second.line, each->first});
        if (lines->second.empty())
            lines_.erase(lines);
        each = known_.erase(each);
    }
}

utc_time pending_edits::first_line() const
{
    auto first = utc_time::max();
    for (auto const& [which, one] : known_)
        first = std::min(first, one.line);
    return first;
}

bool pending_edits::hold(task_id task, utc_time at) const
{
    auto const found = lines_.find(task);
    return found != lines_.end() && at >= found->second.begin()->first;
}

std::vector<signal_id> pending_edits::overdue(instant now) const
{
    std::vector<signal_id> found;
    for (auto const& [which, one] : known_)
        if (now - one.since >= longest_edit)
            found.push_back(which);
    return found;
}

} // namespace baton::trigger
