#include "trigger/master/settings.hpp"

namespace baton::trigger {

void planner_settings::check(setting_check& all) const
{
    all.require(look_ahead >= 1s && look_ahead <= 60s, "planner.look_ahead", "must be from 1s to 60s");
    all.require(poll >= 20ms, "planner.poll", "must be at least 20ms");
    all.require(edit_lead >= 2 * poll + 100ms, "planner.edit_lead", "must be at least two polls and 100ms");
    all.require(edit_lead <= look_ahead, "planner.edit_lead", "must not be longer than planner.look_ahead");
    all.require(page >= 1 && page <= 500, "planner.page", "must be from 1 to 500");
    all.require(firings_of_a_task >= 1, "planner.firings_of_a_task", "must be at least 1");
    all.require(open_limit >= 1'000, "planner.open_limit", "must be at least 1000");
    all.require(overdue_limit >= 1, "planner.overdue_limit", "must be at least 1");
    all.require(sweep >= 100ms, "planner.sweep", "must be at least 100ms");
}

void zone_settings::check(setting_check& all) const
{
    all.require(period >= 100ms && period <= 24h, "zones.check", "must be from 100ms to 24h");
    all.require(lead >= 1s && lead <= 24h, "zones.lead", "must be from 1s to 24h");
}

void retention_settings::check(setting_check& all) const
{
    // Well beyond what looks back, such as an edit, a client that repeats its results, or two clocks that differ.
    all.require(keep == 0s || keep >= 1h, "retention.keep", "must be at least 1h, or 0s to keep everything");
    all.require(piece >= 10 && piece <= 5'000, "retention.piece", "must be from 10 to 5000");
    all.require(share >= 1 && share <= 50, "retention.share", "must be from 1 to 50");
}

} // namespace baton::trigger
