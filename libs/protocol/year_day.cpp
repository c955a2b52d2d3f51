#include "libs/protocol/year_day.hpp"

#include "libs/protocol/wall_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace baton::protocol {

namespace {

namespace chr = std::chrono;

constexpr std::string_view last_word = "last";
constexpr std::uint8_t most_weeks = 5; // that a month has a day of the week

// A number of exactly so many digits, from 1 to `most`.
std::optional<std::uint8_t> number_of(std::string_view text, std::size_t count, unsigned most)
{
    std::uint8_t value = 0;
    auto const* const end = text.data() + text.size();
    auto const [read, error] = std::from_chars(text.data(), end, value);
    if (text.size() != count || error != std::errc{} || read != end || value == 0 || value > most)
        return std::nullopt;
    return value;
}

bool exists(year_day const& date)
{
    unsigned const month = date.month == year_day::each_month ? 1 : date.month;
    return chr::month_day{chr::month{month}, chr::day{date.number}}.ok();
}

// The part behind the month.
std::optional<year_day> parse_rest(std::uint8_t month, std::string_view text)
{
    if (text == last_word)
        return year_day{month, std::nullopt, year_day::last};
    auto const dash = text.find('-');
    if (dash == std::string_view::npos) {
        auto const day = number_of(text, 2, 31);
        year_day const date{month, std::nullopt, day.value_or(0)};
        return day && exists(date) ? std::optional{date} : std::nullopt;
    }
    auto const weekday = std::ranges::find(weekday_names, text.substr(0, dash));
    auto const place = text.substr(dash + 1);
    auto const number = place == last_word ? std::optional{year_day::last} : number_of(place, 1, most_weeks);
    if (weekday == weekday_names.end() || !number)
        return std::nullopt;
    return year_day{month, static_cast<std::uint8_t>(weekday - weekday_names.begin()), *number};
}

} // namespace

std::optional<year_day> parse_year_day(std::string_view text)
{
    auto const dash = text.find('-');
    if (dash == std::string_view::npos)
        return std::nullopt;
    auto const first = text.substr(0, dash);
    auto const month = first == "*" ? std::optional{year_day::each_month} : number_of(first, 2, 12);
    return month ? parse_rest(*month, text.substr(dash + 1)) : std::nullopt;
}

std::string to_text(year_day const& day)
{
    auto const two = [](unsigned number) {
        char digits[8];
        std::snprintf(digits, sizeof digits, "%02u", number);
        return std::string(digits);
    };
    auto text = (day.month == year_day::each_month ? "*" : two(day.month)) + "-";
    if (day.weekday)
        text += std::string(weekday_names[*day.weekday]) + "-";
    if (day.number == year_day::last)
        return text + std::string(last_word);
    return text + (day.weekday ? std::to_string(day.number) : two(day.number));
}

bool matches(year_day const& rule, chr::local_days day)
{
    chr::year_month_day const date{day};
    if (rule.month != year_day::each_month && chr::month{rule.month} != date.month())
        return false;
    auto const month = date.year() / date.month();
    if (!rule.weekday)
        return rule.number == year_day::last ? date == month / chr::last : date.day() == chr::day{rule.number};
    chr::weekday const weekday{*rule.weekday};
    if (rule.number == year_day::last)
        return day == chr::local_days{month / weekday[chr::last]};
    chr::year_month_weekday const counted{day};
    return counted.weekday() == weekday && counted.index() == rule.number;
}

} // namespace baton::protocol
