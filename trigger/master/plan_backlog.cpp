#include "trigger/master/plan_backlog.hpp"

#include "libs/schedule/plan.hpp"

#include <algorithm>
#include <limits>

namespace baton::trigger {

namespace {

constexpr int calls_for_services = 4; // each call costs the pass one page
constexpr duration first_span = 1ms;
constexpr int growth = 10; // the fourth of these calls leaves a second
constexpr task_id last_id{std::numeric_limits<std::int64_t>::max()};

// The end of the tasks that call number `call` of a pass leaves.
storage::due_cursor end_of_left(storage::due_cursor from, int call, utc_time due_until)
{
    if (call < calls_for_services)
        return {from.next_fire_at, std::move(from.service), last_id};
    auto span = first_span;
    auto const rest = due_until - std::max(from.next_fire_at, utc_time{}); // the cursor may be the first of all
    for (int n = calls_for_services; n < call && span < rest; ++n)
        span *= growth;
    return {std::min(from.next_fire_at + span, due_until)};
}

} // namespace

void plan_backlog::begin_pass()
{
    calls_ = 0;
}

due_range plan_backlog::around(storage::due_cursor from, utc_time due_until) const
{
    if (!range_)
        return {from, due_until};
    auto const begin = range_->from.next_fire_at;
    if (from.next_fire_at < begin)
        return {from, std::min(begin, due_until)};
    return {std::max(from, behind_), due_until};
}

storage::due_cursor plan_backlog::leave(storage::due_cursor from, utc_time due_until)
{
    auto beyond = end_of_left(from, calls_++, due_until);
    auto until = beyond.id == last_id ? beyond.next_fire_at + schedule::tick : beyond.next_fire_at;
    if (range_) {
        from = std::min(from, range_->from);
        until = std::max(until, range_->until);
        beyond = std::max(beyond, behind_);
    }
    range_ = {from, until};
    behind_ = beyond;
    return beyond;
}

} // namespace baton::trigger
