#include "libs/schedule/wall_schedule.hpp"

#include "libs/schedule/schedule.hpp"

namespace baton::schedule {

namespace {

using protocol::gap_policy;
using protocol::overlap_policy;
using protocol::schedule_kind;
using protocol::schedule_spec;

wall_schedule of_cron(schedule_spec const& spec)
{
    auto const expression = cron::parse(spec.cron, spec.rules.dialect, spec.rules.hash_seed);
    return {[expression](local_time from, local_time until) { return expression.first(from, until); },
            policy_of(expression, spec.rules), time_zone(spec.zone)};
}

wall_schedule of_window(schedule_spec const& spec)
{
    window const times(spec.window, spec.every);
    return {[times](local_time from, local_time until) { return times.first(from, until); },
            {gap_policy::skip, overlap_policy::first},
            time_zone(spec.zone)};
}

// In UTC a calendar interval is due at its readings.
wall_schedule of_calendar(schedule_spec const& spec, utc_time created_at)
{
    calendar const days(spec.calendar);
    time_zone const zone(spec.zone);
    auto const anchor = as_if_utc(zone.to_local(spec.start_at.value_or(created_at)));
    auto const first = [days, anchor, utc = time_zone("UTC")](local_time from,
                                                              local_time until) -> std::optional<local_time> {
        auto const at = days.first(utc, anchor, as_if_utc(from));
        return at && *at < as_if_utc(until) ? std::optional{utc.to_local(*at)} : std::nullopt;
    };
    return {first, {gap_policy::next_valid, overlap_policy::first}, zone};
}

} // namespace

std::optional<wall_schedule> wall_schedule_of(schedule_spec const& spec, utc_time created_at)
{
    switch (spec.kind) {
    case schedule_kind::cron:
        return of_cron(spec);
    case schedule_kind::window:
        return of_window(spec);
    case schedule_kind::calendar:
        return of_calendar(spec, created_at);
    default:
        return std::nullopt;
    }
}

} // namespace baton::schedule
