#include "trigger/master/planning_watch.hpp"

namespace baton::trigger {

void planning_watch::began(instant now)
{
    taking_over_ = false;
    had_room_ = false;
    waits_since_ = now;
}

void planning_watch::planned(instant now)
{
    began(now);
    failure_.clear();
}

void planning_watch::failed(std::string why)
{
    failure_ = std::move(why);
    waits_since_.reset();
}

std::optional<std::string> planning_watch::trouble(bool active, bool has_room, instant now)
{
    if (!active) {
        if (waits_since_)
            waits_since_ = now;
        return std::nullopt;
    }
    if (!failure_.empty())
        return failure_;
    had_room_ = had_room_ || has_room;
    if (!waits_since_ || now - *waits_since_ < patience)
        return std::nullopt;
    if (taking_over_)
        return "the take-over of the open executions is not done";
    return had_room_ ? "the database has not answered the planner for a second"
                     : "the lease and the guard have not left the time for a transaction for a second";
}

} // namespace baton::trigger
