#include "libs/schedule/schedule.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/cron_firings.hpp"
#include "libs/schedule/cron_hash.hpp"
#include "libs/schedule/wall_schedule.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

using protocol::schedule_kind;
using protocol::schedule_spec;

// Instants of tasks lie in the years from 1970 to 9999, so that adding a period cannot overflow.
constexpr utc_time earliest_instant{};
constexpr utc_time latest_instant = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};

void require_period(schedule_kind kind, duration period)
{
    if (kind == schedule_kind::fixed_rate && period < protocol::shortest_rate)
        throw invalid_input("schedule.every_ms", "a task at a fixed rate fires at most every 100 ms");
    if (period < protocol::shortest_delay)
        throw invalid_input("schedule.every_ms", "a period is at least 1 ms");
    if (period > protocol::longest_span)
        throw invalid_input("schedule.every_ms", "a period is at most 366 days");
}

void require_instant(std::optional<utc_time> at, char const* field)
{
    if (at && (*at < earliest_instant || *at >= latest_instant))
        throw invalid_input(field, "it must lie in the years from 1970 to 9999");
}

void require_meaning(schedule_spec const& spec)
{
    if (spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::fixed_delay)
        require_period(spec.kind, spec.every);
    if (spec.kind == schedule_kind::once) {
        if (!spec.at)
            throw invalid_input("schedule.at", "a task that fires once needs the instant");
        return require_instant(spec.at, "schedule.at");
    }
    require_instant(spec.start_at, "schedule.start_at");
    require_instant(spec.end_at, "schedule.end_at");
    if (spec.start_at && spec.end_at && *spec.end_at <= *spec.start_at)
        throw invalid_input("schedule.end_at", "it must come after the start");
}

std::variant<cron, window, calendar> rule_of(schedule_spec const& spec)
{
    if (spec.kind == schedule_kind::cron)
        return cron::parse(spec.cron, spec.rules.dialect, spec.rules.hash_seed);
    if (spec.kind == schedule_kind::window)
        return window(spec.window, spec.every);
    if (spec.kind == schedule_kind::calendar)
        return calendar(spec.calendar);
    return cron{};
}

clock_policy policy_in(std::variant<cron, window, calendar> const& rule, schedule_spec const& spec)
{
    auto const* const expression = std::get_if<cron>(&rule);
    return expression != nullptr ? policy_of(*expression, spec.rules) : policy_of_kind(spec);
}

bool has_zone(schedule_kind kind)
{
    return kind == schedule_kind::cron || kind == schedule_kind::window || kind == schedule_kind::calendar;
}

std::shared_ptr<calendar_filter const> filter_of(schedule_spec const& spec)
{
    if (spec.calendars.empty() && spec.skips.empty())
        return nullptr;
    return std::make_shared<calendar_filter>(spec.calendars, spec.skips);
}

utc_time start_of(schedule_spec const& spec, utc_time created_at)
{
    if (spec.kind == schedule_kind::once)
        return spec.at.value_or(utc_time::max());
    bool const counts = spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::calendar;
    return spec.start_at.value_or(counts ? created_at : utc_time::min());
}

} // namespace

timetable::timetable(schedule_spec const& spec, utc_time created_at)
    : rule_(rule_of(spec)),
      zone_(has_zone(spec.kind) ? spec.zone : "UTC"),
      period_(spec.every),
      start_(start_of(spec, created_at)),
      end_(spec.end_at.value_or(utc_time::max())),
      firing_(spec.firing),
      calendars_(filter_of(spec)),
      policy_(policy_in(rule_, spec)),
      kind_(spec.kind)
{
    require_meaning(spec);
}

std::optional<utc_time> timetable::first(utc_time from) const
{
    piece whole{from, most_calendar_steps};
    return first(whole);
}

std::optional<utc_time> timetable::first(piece& part) const
{
    part.from = std::max(part.from, start_);
    auto const found = first_admitted(part);
    return found ? before_end(*found) : std::nullopt;
}

// Goes from one firing that the calendars keep back to the first one behind the part of the calendar.
std::optional<utc_time> timetable::first_admitted(piece& part) const
{
    auto found = first_from_start(part.from);
    while (calendars_ && found && *found < end_) {
        part.from = *found;
        auto const admitted = calendars_->admitted(part.from, part.steps);
        if (!admitted || *admitted == *found)
            return admitted;
        found = first_from_start(*admitted);
    }
    return found;
}

std::optional<utc_time> timetable::first_from_start(utc_time from) const
{
    switch (kind_) {
    case schedule_kind::cron:
        return first_firing(std::get<cron>(rule_), zone_, from, policy_);
    case schedule_kind::window:
        return first_firing(std::get<window>(rule_), zone_, from, policy_);
    case schedule_kind::fixed_rate:
        if (from >= latest_instant)
            return std::nullopt;
        return start_ + (from - start_ + period_ - tick) / period_ * period_;
    case schedule_kind::fixed_delay:
        return from;
    case schedule_kind::calendar:
        return std::get<calendar>(rule_).first(zone_, start_, from, policy_);
    case schedule_kind::once:
        return from == start_ ? std::optional{from} : std::nullopt;
    case schedule_kind::api:
    case schedule_kind::after:
        break;
    }
    return std::nullopt;
}

std::optional<utc_time> timetable::before_end(utc_time at) const
{
    return at < end_ ? std::optional{at} : std::nullopt;
}

std::vector<utc_time> timetable::between(utc_time from, utc_time until, std::size_t limit) const
{
    std::vector<utc_time> found;
    if (kind_ == schedule_kind::fixed_delay)
        return found;
    while (found.size() < limit) {
        auto const at = first(from);
        if (!at || *at >= until)
            break;
        found.push_back(*at);
        from = *at + tick;
    }
    return found;
}

std::vector<utc_time> timetable::skips_between(utc_time from, utc_time until) const
{
    std::vector<utc_time> found;
    if (!calendars_)
        return found;
    found = calendars_->skips_between(std::max(from, start_), std::min(until, end_));
    std::erase_if(found, [this](utc_time at) { return first_from_start(at) != at; });
    return found;
}

std::optional<utc_time> timetable::after_completion(utc_time finished) const
{
    if (kind_ != schedule_kind::fixed_delay || finished >= latest_instant)
        return std::nullopt;
    return first(std::max(finished + period_, start_));
}

void complete_schedule(protocol::task_definition& task, schedule_spec const* before)
{
    auto& firing = task.schedule.firing;
    if (firing.jitter > 0s && !firing.jitter_seed)
        firing.jitter_seed = before != nullptr ? before->firing.jitter_seed : std::nullopt;
    if (firing.jitter > 0s && !firing.jitter_seed)
        firing.jitter_seed = hash_seed_of(task.project, task.name);
    auto& rules = task.schedule.rules;
    if (task.schedule.kind != schedule_kind::cron || rules.hash_seed || !has_hash(task.schedule.cron))
        return;
    rules.hash_seed = before != nullptr ? before->rules.hash_seed : std::nullopt;
    if (!rules.hash_seed)
        rules.hash_seed = hash_seed_of(task.project, task.name);
}

void check_schedule(schedule_spec const& spec)
{
    timetable const times(spec, earliest_instant); // as if created before every end
    if (spec.start_at && spec.end_at && !times.first(*spec.start_at))
        throw invalid_input("schedule.end_at", "this schedule never fires between schedule.start_at and its end");
}

} // namespace baton::schedule
