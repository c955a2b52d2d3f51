#include "trigger/delivery/settings.hpp"

namespace baton::trigger {

void dispatcher_settings::check(setting_check& all) const
{
    all.require(group >= 1 && group <= 5'000, "dispatcher.group", "must be from 1 to 5000");
    all.require(queue_limit >= group, "dispatcher.queue_limit", "must be at least dispatcher.group");
    all.require(assign_limit >= 100ms, "dispatcher.assign_limit", "must be at least 100ms");
    all.require(dispatch_limit >= 100ms, "dispatcher.dispatch_limit", "must be at least 100ms");
    all.require(doubt_after >= 1s, "dispatcher.doubt_after", "must be at least 1s");
    all.require(retry_pause >= 1ms, "dispatcher.retry_pause", "must be at least 1ms");
}

void results_settings::check(setting_check& all) const
{
    all.require(group >= 1 && group <= 5'000, "results.group", "must be from 1 to 5000");
    all.require(queue_limit >= group, "results.queue_limit", "must be at least results.group");
    all.require(pause >= 0ms && pause <= 1s, "results.pause", "must be from 0s to 1s");
}

} // namespace baton::trigger
