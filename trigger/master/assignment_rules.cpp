#include "trigger/master/assignment_rules.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration longest_hold = 1s;
}

assignment_end end_of(std::optional<int> status, bool maybe_there)
{
    if (status == 200)
        return maybe_there ? assignment_end::passed_on : assignment_end::taken;
    return maybe_there ? assignment_end::repeat : assignment_end::elsewhere;
}

std::vector<std::size_t> cut(std::vector<std::size_t> const& sizes, std::size_t most, std::size_t bytes)
{
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i - begin == most || (i != begin && sum + sizes[i] > bytes)) {
            ends.push_back(i);
            begin = i;
            sum = 0;
        }
        sum += sizes[i];
    }
    if (begin != sizes.size())
        ends.push_back(sizes.size());
    return ends;
}

next_look look_after(firing_times const& times, instant now, utc_time clock)
{
    next_look out{now + longest_hold};
    if (times.next_due && *times.next_due > times.marked)
        out.wants_mark = true; // the mark wakes the assigner when it has moved, as does the limit
    else if (times.next_due && *times.next_due <= times.limit)
        out.at = std::min(out.at, now + (*times.next_due - clock));
    if (times.unblocked)
        out.at = std::min(out.at, *times.unblocked);
    if (times.paused)
        out.at = std::min(out.at, *times.paused);
    return out;
}

} // namespace baton::trigger
