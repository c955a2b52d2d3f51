#include "trigger/master/settings.hpp"

#include "libs/base/setting.hpp"

namespace baton::trigger {

void planner_settings::validate() const
{
    require_setting(look_ahead >= 1s && look_ahead <= 60s, "planner.look_ahead", "must be from 1s to 60s");
    require_setting(poll >= 20ms, "planner.poll", "must be at least 20ms");
    require_setting(edit_lead >= 2 * poll + 100ms, "planner.edit_lead", "must be at least two polls and 100ms");
    require_setting(edit_lead <= look_ahead, "planner.edit_lead", "must not be longer than planner.look_ahead");
    require_setting(page >= 1 && page <= 500, "planner.page", "must be from 1 to 500");
    require_setting(firings_of_a_task >= 1, "planner.firings_of_a_task", "must be at least 1");
    require_setting(open_limit >= 1'000, "planner.open_limit", "must be at least 1000");
    require_setting(overdue_limit >= 1, "planner.overdue_limit", "must be at least 1");
    require_setting(sweep >= 100ms, "planner.sweep", "must be at least 100ms");
}

void retention_settings::validate() const
{
    // Well beyond what looks back, such as an edit, a client that repeats its results, or two clocks that differ.
    require_setting(keep == 0s || keep >= 1h, "retention.keep", "must be at least 1h, or 0s to keep everything");
    require_setting(piece >= 10 && piece <= 5'000, "retention.piece", "must be from 10 to 5000");
    require_setting(share >= 1 && share <= 50, "retention.share", "must be from 1 to 50");
}

} // namespace baton::trigger
