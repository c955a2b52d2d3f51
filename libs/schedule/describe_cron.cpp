// Describes cron expressions in plain English.

#include "libs/schedule/describe_words.hpp"
#include "libs/schedule/schedule.hpp"

#include <bit>
#include <cstdio>

namespace baton::schedule {

namespace {

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

std::string before_last(unsigned days)
{
    if (days == 0)
        return "last day";
    return days == 1 ? "day before the last day" : std::to_string(days) + " days before the last day";
}

// "the last day", "the weekday nearest to day 15", "the third Friday"
std::string rule_text(day_rule const& rule)
{
    constexpr std::array<char const*, 6> ordinals{"", "first", "second", "third", "fourth", "fifth"};
    using enum day_rule::kind;
    std::string const nearest = "the day from Monday to Friday nearest to ";
    switch (rule.by) {
    case from_end:
        return (rule.n > 1 ? "" : "the ") + before_last(rule.n);
    case near_day:
        return nearest + "day " + std::to_string(rule.n);
    case near_end:
        return nearest + (rule.n > 1 ? "" : "the ") + before_last(rule.n);
    case nth_weekday:
        return std::string("the ") + ordinals[rule.n] + " " + full_weekday_names[rule.weekday];
    case last_of_weekdays:
        return std::string("the last ") + full_weekday_names[rule.weekday];
    case none:
        break;
    }
    return "";
}

std::string years_part(cron_fields const& fields)
{
    values years;
    for (int year = year_set::first; fields.listed_years && year <= year_set::last; ++year)
        if (fields.years.has(year))
            years.push_back(static_cast<unsigned>(year));
    return years.empty() ? "" : ", in " + list(years, plain);
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

    if (fields.rule.by != day_rule::kind::none)
        return " on " + rule_text(fields.rule) + " of " + (in_months.empty() ? "every month" : in_months);
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

} // namespace

std::string describe_cron(cron const& expression)
{
    auto const time = time_part(expression.fields());
    return time.text + date_part(expression.fields(), time.is_list) + years_part(expression.fields());
}

} // namespace baton::schedule
