// Describes schedules in plain English.

#include "libs/schedule/describe_words.hpp"
#include "libs/schedule/schedule.hpp"

#include <array>

namespace baton::schedule {

namespace {

std::string span(duration length)
{
    struct unit {
        duration size;
        char const* name;
    };
    constexpr std::array<unit, 6> units{{{std::chrono::days{1}, "day"},
                                         {1h, "hour"},
                                         {1min, "minute"},
                                         {1s, "second"},
                                         {1ms, "millisecond"},
                                         {1us, "microsecond"}}};
    std::vector<std::string> parts;
    for (auto const& [size, name] : units)
        if (auto const count = length / size; count > 0) {
            parts.push_back(std::to_string(count) + " " + name + (count == 1 ? "" : "s"));
            length %= size;
        }
    return join(parts);
}

// "every hour" for one hour, "every 1 hour and 30 minutes" for 90 minutes.
std::string every_span(duration length)
{
    auto const text = span(length);
    bool const single = text.starts_with("1 ") && text.find(" and ") == std::string::npos;
    return "every " + (single ? text.substr(2) : text);
}

// Without a fraction of zeros.
std::string moment(utc_time at)
{
    auto text = to_rfc3339(at);
    if (auto const zeros = text.find(".000000"); zeros != std::string::npos)
        text.erase(zeros, 7);
    return text;
}

std::string day_text(protocol::calendar_day const& day)
{
    constexpr std::array<char const*, 6> ordinals{"", "first", "second", "third", "fourth", "last"};
    using rule = protocol::calendar_day::rule;
    switch (day.by) {
    case rule::as_start:
        return "";
    case rule::number:
        return ", on day " + std::to_string(day.n) + (day.n > 28 ? " or the last" : "");
    case rule::last_day:
        return ", on the last day";
    case rule::last_business_day:
        return ", on the last business day";
    case rule::weekday:
        break;
    }
    return std::string(", on the ") + ordinals[day.n] + " " + full_weekday_names[day.weekday];
}

std::string weekday_list(std::uint8_t weekdays)
{
    values days; // from Monday on
    for (unsigned day = 1; day <= 7; ++day)
        if ((weekdays >> day % 7 & 1u) != 0)
            days.push_back(day);
    return list(days, [](unsigned day) { return std::string{full_weekday_names[day % 7]}; });
}

// "every 3 months, on day 15 or the next business day, at 02:00 in Europe/Berlin"
std::string describe_calendar(protocol::schedule_spec const& spec)
{
    auto const& rule = spec.calendar;
    std::string unit(to_string(rule.unit));
    unit.pop_back();
    auto text = every(static_cast<unsigned>(rule.every), unit) + day_text(rule.on);
    if (rule.weekdays != 0)
        text += ", on " + weekday_list(rule.weekdays);
    if (rule.roll != protocol::business_roll::none)
        text += rule.roll == protocol::business_roll::next_business_day ? " or the next business day"
                                                                        : " or the previous business day";
    return text + ", at " + protocol::time_of_day_text(rule.time) + " in " + spec.zone;
}

// "every 15 minutes from 09:00 to 17:30 on Monday to Friday in Europe/Berlin"
std::string describe_window(protocol::schedule_spec const& spec)
{
    bool const every_day = spec.window.weekdays == protocol::all_weekdays;
    auto const midnight = spec.window.to < spec.window.from ? " of the next day" : "";
    return every_span(spec.every) + " from " + protocol::time_of_day_text(spec.window.from) + " to " +
           protocol::time_of_day_text(spec.window.to) + midnight +
           (every_day ? " every day" : " on " + weekday_list(spec.window.weekdays)) + " in " + spec.zone;
}

// ", only in 'opening hours', not in 'holidays'"
std::string calendar_text(std::vector<protocol::calendar_use> const& uses)
{
    std::string allowed;
    std::string text;
    for (auto const& use : uses) {
        auto& part = use.mode == protocol::calendar_mode::allow ? allowed : text;
        auto const* const first = use.mode == protocol::calendar_mode::allow ? ", only in '" : ", not in '";
        part += (part.empty() ? first : " or '") + use.name + "'";
    }
    return allowed + text;
}

// ", at most 10 times, each up to 30 seconds later"
std::string firing_text(protocol::firing_rules const& rules)
{
    std::string text;
    if (rules.max_firings != 0)
        text += ", at most " + (rules.max_firings == 1 ? "once" : std::to_string(rules.max_firings) + " times");
    if (rules.jitter > 0s)
        text += ", each up to " + span(rules.jitter) + " later";
    return text;
}

} // namespace

std::string describe(protocol::schedule_spec const& spec)
{
    timetable const checked(spec, utc_time{});
    auto const start = spec.start_at ? ", from " + moment(*spec.start_at) : "";
    auto const end = (spec.end_at ? ", before " + moment(*spec.end_at) : std::string()) +
                     calendar_text(spec.calendars) + firing_text(spec.firing);
    using enum protocol::schedule_kind;
    switch (checked.kind()) {
    case cron:
        return describe_cron(schedule::cron::parse(spec.cron, spec.rules.dialect, spec.rules.hash_seed)) + " in " +
               spec.zone + start + end;
    case fixed_rate:
        return every_span(spec.every) + start + end;
    case fixed_delay:
        return span(spec.every) + " after the end of the previous run" + start + end;
    case once:
        return "once, at " + moment(*spec.at);
    case window:
        return describe_window(spec) + start + end;
    case calendar:
        return describe_calendar(spec) + start + end;
    case after:
        return "after each success of '" + spec.after + "', for the same time";
    case api:
        break;
    }
    return "only when it is asked for";
}

} // namespace baton::schedule
