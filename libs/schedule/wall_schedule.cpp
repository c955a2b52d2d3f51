#include "libs/schedule/wall_schedule.hpp"

#include "libs/schedule/schedule.hpp"

namespace baton::schedule {

namespace {

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
    return {[times](local_time from, local_time until) { return times.first(from, until); }, policy_of_kind(spec),
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
    return {first, policy_of_kind(spec), zone};
}

} // namespace

clock_policy policy_of_kind(schedule_spec const& spec)
{
    auto const usual = spec.kind == schedule_kind::calendar ? calendar::usual_policy : usual_of_windows;
    return {spec.rules.gap.value_or(usual.gap), spec.rules.overlap.value_or(usual.overlap)};
}

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
