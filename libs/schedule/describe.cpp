// Describes schedules in plain English.

#include "libs/schedule/schedule.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <functional>

namespace baton::schedule {

namespace {

constexpr std::array<char const*, 7> full_weekday_names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                        "Thursday", "Friday", "Saturday"};
constexpr std::array<char const*, 13> full_month_names{"",        "January",  "February", "March",  "April",
                                                       "May",     "June",     "July",     "August", "September",
                                                       "October", "November", "December"};

using values = std::vector<unsigned>;
using naming = std::function<std::string(unsigned)>;

values values_of(std::uint64_t set)
{
    values all;
    for (; set != 0; set &= set - 1)
        all.push_back(static_cast<unsigned>(std::countr_zero(set)));
    return all;
}

std::string plain(unsigned value)
{
    return std::to_string(value);
}

std::string clock(unsigned hour, unsigned minute, unsigned second)
{
    char text[40];
    if (second == 0)
        std::snprintf(text, sizeof text, "%02u:%02u", hour, minute);
    else
        std::snprintf(text, sizeof text, "%02u:%02u:%02u", hour, minute, second);
    return text;
}

// "a", "a and b", "a, b and c"
std::string join(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

bool consecutive(values const& all)
{
    return all.back() - all.front() + 1 == all.size();
}

// Three or more in a row as "a to c", otherwise as a list.
std::string list(values const& all, naming const& name)
{
    if (all.size() >= 3 && consecutive(all))
        return name(all.front()) + " to " + name(all.back());
    std::vector<std::string> names;
    for (auto const value : all)
        names.push_back(name(value));
    return join(names);
}

// n if the values are 0, n, 2n, ... and divide `size` evenly, otherwise 0.
unsigned even_step(values const& all, unsigned size)
{
    if (size % all.size() != 0)
        return 0;
    auto const step = size / static_cast<unsigned>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != i * step)
            return 0;
    return step;
}

std::string every(unsigned count, std::string const& unit)
{
    return count == 1 ? "every " + unit : "every " + std::to_string(count) + " " + unit + "s";
}

// "at minute 5", "at minutes 5 and 10"
std::string at_values(values const& all, std::string const& unit)
{
    return "at " + unit + (all.size() == 1 ? " " : "s ") + list(all, plain);
}

// The hours of the day: "from 09:00 to 17:59", "in the hours 1, 5 and 9".
std::string in_hours(values const& hours)
{
    if (consecutive(hours))
        return "from " + clock(hours.front(), 0, 0) + " to " + clock(hours.back(), 59, 0);
    return "in the hours " + list(hours, plain);
}

// The times of day if seconds are 0 and the times are too many to list.
std::string minutes_and_hours(values const& minutes, values const& hours)
{
    bool const all_day = hours.size() == 24;
    auto const hour_step = even_step(hours, 24);
    if (auto const step = even_step(minutes, 60); step != 0 && step != 60)
        return every(step, "minute") + (all_day ? "" : " " + in_hours(hours));
    bool const on_the_hour = minutes.size() == 1 && minutes.front() == 0;
    if (hour_step == 1)
        return on_the_hour ? "every hour" : at_values(minutes, "minute") + " of every hour";
    if (hour_step != 0)
        return every(hour_step, "hour") + (on_the_hour ? "" : ", " + at_values(minutes, "minute"));
    if (on_the_hour && consecutive(hours))
        return "every hour from " + clock(hours.front(), 0, 0) + " to " + clock(hours.back(), 0, 0);
    auto const which = consecutive(hours) ? " of every hour " : " ";
    return (on_the_hour ? "on the hour" : at_values(minutes, "minute")) + which + in_hours(hours);
}

std::string with_seconds(values const& seconds, values const& minutes, values const& hours)
{
    auto const step = even_step(seconds, 60);
    std::string text = step != 0 && step != 60 ? every(step, "second") : at_values(seconds, "second");
    if (minutes.size() < 60)
        text += " in minute" + std::string{minutes.size() == 1 ? " " : "s "} + list(minutes, plain) +
                (hours.size() == 24 ? " of every hour" : "");
    else if (step == 0 || step == 60)
        text += " of every minute";
    return text + (hours.size() == 24 ? "" : " " + in_hours(hours));
}

struct time_of_day {
    std::string text;
    bool is_list; // of single times
};

time_of_day time_part(cron_fields const& fields)
{
    auto const seconds = values_of(fields.seconds);
    auto const minutes = values_of(fields.minutes);
    auto const hours = values_of(fields.hours);
    constexpr std::size_t most_listed = 6;
    if (seconds.size() == 1 && minutes.size() * hours.size() <= most_listed) {
        std::vector<std::string> times;
        for (auto const hour : hours)
            for (auto const minute : minutes)
                times.push_back(clock(hour, minute, seconds.front()));
        return {"at " + join(times), true};
    }
    bool const whole_minutes = seconds.size() == 1 && seconds.front() == 0;
    return {whole_minutes ? minutes_and_hours(minutes, hours) : with_seconds(seconds, minutes, hours), false};
}

std::string date_part(cron_fields const& fields, bool say_every_day)
{
    auto const days = values_of(fields.days);
    auto const weekdays = values_of(fields.weekdays);
    auto const months = values_of(fields.months);
    bool const any = fields.either_day && (days.size() == 31 || weekdays.size() == 7);
    auto const in_months =
        months.size() == 12 ? std::string{} : list(months, [](unsigned m) { return std::string{full_month_names[m]}; });
    auto const weekday_list = list(weekdays, [](unsigned d) { return std::string{full_weekday_names[d]}; });
    auto const day_list = (days.size() == 1 ? "day " : "days ") + list(days, plain) + " of " +
                          (in_months.empty() ? "every month" : in_months);

    if (any || (days.size() == 31 && weekdays.size() == 7))
        return (say_every_day ? " every day" : "") + (in_months.empty() ? "" : " in " + in_months);
    if (days.size() == 31)
        return " on " + weekday_list + (in_months.empty() ? "" : " in " + in_months);
    if (weekdays.size() == 7)
        return " on " + day_list;
    if (!fields.either_day)
        return " on " + day_list + " if it is " + weekday_list;
    return " on " + day_list + " or on " + weekday_list + (in_months.empty() ? "" : " in " + in_months);
}

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

} // namespace

std::string describe_cron(cron const& expression)
{
    auto const time = time_part(expression.fields());
    return time.text + date_part(expression.fields(), time.is_list);
}

namespace {

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

} // namespace

std::string describe(protocol::schedule_spec const& spec)
{
    timetable const checked(spec, utc_time{});
    auto const start = spec.start_at ? ", from " + moment(*spec.start_at) : "";
    auto const end = spec.end_at ? ", before " + moment(*spec.end_at) : "";
    using enum protocol::schedule_kind;
    switch (checked.kind()) {
    case cron:
        return describe_cron(schedule::cron::parse(spec.cron)) + " in " + spec.zone + start + end;
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
    case api:
        break;
    }
    return "only when it is asked for";
}

} // namespace baton::schedule
