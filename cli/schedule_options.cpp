#include "cli/schedule_options.hpp"

#include "cli/span.hpp"
#include "libs/protocol/task.hpp"

#include <cstdint>

namespace baton::cli {

namespace {

// As the server's limits for schedule.every_ms.
std::int64_t period(char const* option, std::string const& text, duration least)
{
    return option_span(option, text, least, protocol::longest_span);
}

std::string const& checked_time(char const* option, std::string const& text)
{
    try {
        (void)from_rfc3339(text);
        return text;
    } catch (std::invalid_argument const&) {
        throw CLI::ValidationError(option, "'" + text + "' is not a time such as 2026-12-24T18:00:00Z");
    }
}

} // namespace

nlohmann::json schedule_of(schedule_options const& chosen)
{
    bool const has_days = !chosen.wall.from.empty() || !chosen.wall.calendar.empty();
    if (!chosen.zone.empty() && chosen.cron.empty() && !has_days)
        throw CLI::ValidationError("--zone", "needs --cron, --from or --calendar, which it is the time zone of");
    bool const has_policy = !chosen.expression.gap.empty() || !chosen.expression.overlap.empty();
    if (has_policy && chosen.cron.empty() && !has_days)
        throw CLI::ValidationError(chosen.expression.gap.empty() ? "--overlap" : "--gap",
                                   "needs --cron, --from or --calendar");
    if (!chosen.wall.days.empty() && !has_days)
        throw CLI::ValidationError("--days", "needs --from or --calendar");
    nlohmann::json schedule{{"kind", "api"}};
    if (!chosen.cron.empty()) {
        schedule = {{"kind", "cron"}, {"cron", chosen.cron}};
    } else if (!chosen.wall.from.empty())
        schedule = window_schedule(chosen.wall, period("--every", chosen.every, 1s));
    else if (!chosen.wall.calendar.empty())
        schedule = calendar_schedule(chosen.wall);
    else if (!chosen.every.empty())
        schedule = {{"kind", "fixed_rate"}, {"every_ms", period("--every", chosen.every, 100ms)}};
    else if (!chosen.delay.empty())
        schedule = {{"kind", "fixed_delay"}, {"every_ms", period("--delay", chosen.delay, 1ms)}};
    else if (!chosen.at.empty())
        schedule = {{"kind", "once"}, {"at", checked_time("--at", chosen.at)}};
    else if (!chosen.in.empty())
        schedule = {{"kind", "once"}, {"in_ms", period("--in", chosen.in, 1ms)}};
    else if (!chosen.after.empty())
        schedule = {{"kind", "after"}, {"task", chosen.after}};
    write_cron_options(schedule, chosen.expression);
    if (!chosen.zone.empty())
        schedule["zone"] = chosen.zone;
    if (!chosen.start_at.empty())
        schedule["start_at"] = checked_time("--start-at", chosen.start_at);
    if (!chosen.end_at.empty())
        schedule["end_at"] = checked_time("--end-at", chosen.end_at);
    write_firing_options(schedule, chosen.firing);
    write_calendar_uses(schedule, chosen.calendars);
    return schedule;
}

void add_schedule_options(CLI::App& command, schedule_options& into)
{
    auto* const when =
        command.add_option_group("schedule", "When it is due; without one of these only by `baton task run`");
    auto* const cron =
        when->add_option("--cron", into.cron,
                         "Five fields, or six with seconds, such as '*/5 * * * *'. If both day fields are "
                         "restricted, a date needs to match one of them");
    auto* const every = when->add_option("--every", into.every,
                                         "From start to start, such as 90s; for what other tools write as @every 90s");
    when->add_option("--delay", into.delay, "From an end to the next start");
    when->add_option("--at", into.at, "Once, at 2026-12-24T18:00:00Z");
    when->add_option("--in", into.in, "Once, so long after the registration, such as 2h");
    when->add_option("--after", into.after,
                     "After each success of a firing of this task of the project, for the same scheduled time");
    add_calendar_options(command, *when, into.wall);
    when->require_option(0, 1);
    command.add_option("--zone", into.zone,
                       "IANA time zone of --cron, --from and --calendar; without it that of the service or project, or "
                       "UTC");
    add_cron_options(command, into.expression, cron);
    add_window_options(command, into.wall, *every);
    command.add_option("--start-at", into.start_at, "It does not fire before, such as 2026-12-24T18:00:00Z");
    command.add_option("--end-at", into.end_at, "It fires before this time only");
    add_firing_options(command, into.firing);
    add_calendar_use_options(command, into.calendars);
}

} // namespace baton::cli
