#include "trigger/master/plan_backlog.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration first_span = 1ms;
constexpr int growth = 10; // the fourth call leaves a second

} // namespace

void plan_backlog::begin_pass()
{
    span_ = first_span;
}

due_range plan_backlog::around(storage::due_cursor from, utc_time due_until) const
{
    if (!range_)
        return {from, due_until};
    auto const begin = range_->from.next_fire_at;
    if (from.next_fire_at < begin)
        return {from, std::min(begin, due_until)};
    return {from.next_fire_at < range_->until ? storage::due_cursor{range_->until, {}} : from, due_until};
}

storage::due_cursor plan_backlog::leave(storage::due_cursor from, utc_time due_until)
{
    auto until = std::min(from.next_fire_at + span_, due_until);
    span_ *= growth;
    if (range_ && range_->from.next_fire_at <= from.next_fire_at)
        from = range_->from;
    if (range_)
        until = std::max(until, range_->until);
    range_ = {from, until};
    return {until, {}};
}

} // namespace baton::trigger
