#include "libs/schedule/jitter.hpp"

#include "libs/schedule/misfire.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

// How many of these firings are to be planned now: up to the last one that is due before the end.
std::size_t count_planned(timetable const& times, std::vector<utc_time> const& firings, plan_bounds const& bounds)
{
    auto count = firings.size();
    while (count > 0 && !bounds.by_instant && times.due_at(firings[count - 1]) >= bounds.until)
        --count;
    return count;
}

// For each firing the number of later ones that are due.
std::vector<std::size_t> count_successors(timetable const& times, std::vector<utc_time> const& firings, utc_time now)
{
    std::vector<std::size_t> successors(firings.size());
    std::size_t due = 0;
    for (auto i = firings.size(); i-- > 0;) {
        successors[i] = due;
        due += times.due_at(firings[i]) <= now ? 1 : 0;
    }
    return successors;
}

} // namespace

utc_time earliest_due(timetable const& times, utc_time firing)
{
    auto earliest = times.due_at(firing);
    for (auto next = times.first(firing + tick); next && *next < earliest; next = times.first(*next + tick))
        earliest = std::min(earliest, times.due_at(*next));
    return earliest;
}

task_plan plan_with_jitter(timetable const& times, protocol::misfire_policy const& policy, plan_bounds bounds)
{
    task_plan plan;
    auto const most = most_skipped + bounds.limit + most_successors(policy);
    auto const firings = times.between(bounds.cursor, bounds.until, most);
    auto const successors = count_successors(times, firings, bounds.now);
    auto const planned = count_planned(times, firings, bounds);
    bool const all = firings.size() < most;
    std::size_t done = 0;
    for (; done < planned && plan.firings.size() < bounds.limit && plan.skipped.size() < most_skipped; ++done) {
        auto const due = times.due_at(firings[done]);
        bool const late = is_late(policy, due, bounds.now);
        bool const skip = late && successors[done] >= successors_to_skip(policy, due, bounds.now);
        if (late && !skip && !all && done > 0)
            break; // firings that this plan has not read may take its place
        (skip ? plan.skipped : plan.firings).push_back(firings[done]);
    }
    plan.next = done < firings.size() ? firings[done] : times.first(done == 0 ? bounds.cursor : firings.back() + tick);
    return plan;
}

} // namespace baton::schedule
