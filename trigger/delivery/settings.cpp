#include "trigger/delivery/settings.hpp"

#include "libs/base/setting.hpp"

namespace baton::trigger {

void dispatcher_settings::validate() const
{
    require_setting(group >= 1 && group <= 5'000, "dispatcher.group", "must be from 1 to 5000");
    require_setting(queue_limit >= group, "dispatcher.queue_limit", "must be at least dispatcher.group");
    require_setting(assign_limit >= 100ms, "dispatcher.assign_limit", "must be at least 100ms");
    require_setting(dispatch_limit >= 100ms, "dispatcher.dispatch_limit", "must be at least 100ms");
    require_setting(doubt_after >= 1s, "dispatcher.doubt_after", "must be at least 1s");
    require_setting(retry_pause >= 1ms, "dispatcher.retry_pause", "must be at least 1ms");
}

void results_settings::validate() const
{
    require_setting(group >= 1 && group <= 5'000, "results.group", "must be from 1 to 5000");
    require_setting(queue_limit >= group, "results.queue_limit", "must be at least results.group");
    require_setting(pause >= 0ms && pause <= 1s, "results.pause", "must be from 0s to 1s");
}

} // namespace baton::trigger
