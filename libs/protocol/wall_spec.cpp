#include "libs/protocol/wall_spec.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>
#include <cstdio>

namespace baton::protocol {

namespace {

constexpr std::array<std::size_t, 7> from_monday{1, 2, 3, 4, 5, 6, 0};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Two digits up to `most`, or -1.
int two_digits(std::string const& text, std::size_t at, int most)
{
    if (at + 2 > text.size() || !is_digit(text[at]) || !is_digit(text[at + 1]))
        return -1;
    int const value = (text[at] - '0') * 10 + (text[at + 1] - '0');
    return value <= most ? value : -1;
}

std::uint8_t parse_weekday(nlohmann::json const& value, std::string const& field)
{
    auto const text = value.is_string() ? value.get<std::string>() : value.dump();
    auto const found = std::ranges::find(weekday_names, text);
    if (!value.is_string() || found == weekday_names.end())
        throw invalid_input(field, field + " must list days such as mon, tue, wed, thu, fri, sat or sun, not " +
                                       in_quotes(text));
    return static_cast<std::uint8_t>(1u << (found - weekday_names.begin()));
}

} // namespace

std::chrono::seconds parse_time_of_day(std::string const& text, std::string const& field)
{
    bool const with_seconds = text.size() == 8 && text[5] == ':';
    int const hour = two_digits(text, 0, 23);
    int const minute = two_digits(text, 3, 59);
    int const second = with_seconds ? two_digits(text, 6, 59) : 0;
    bool const shaped = (text.size() == 5 || with_seconds) && text[2] == ':';
    if (!shaped || hour < 0 || minute < 0 || second < 0)
        throw invalid_input(field, field + " must be a time of the day from 00:00 to 23:59:59, such as 17:30, not " +
                                       in_quotes(text));
    return std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

std::string time_of_day_text(std::chrono::seconds time)
{
    std::chrono::hh_mm_ss const parts{time};
    char text[48];
    std::snprintf(text, sizeof text, "%02ld:%02ld:%02ld", static_cast<long>(parts.hours().count()),
                  static_cast<long>(parts.minutes().count()), static_cast<long>(parts.seconds().count()));
    std::string shown = text;
    return shown.ends_with(":00") ? shown.substr(0, 5) : shown;
}

std::uint8_t parse_weekdays(nlohmann::json const& value, std::string const& field)
{
    if (!value.is_array() || value.empty())
        throw invalid_input(field, field + R"( must be an array of at least one day, such as ["mon", "fri"])");
    std::uint8_t days = 0;
    for (auto const& each : value) {
        auto const day = parse_weekday(each, field);
        if ((days & day) != 0)
            throw invalid_input(field, field + " names " + each.get<std::string>() + " twice");
        days = static_cast<std::uint8_t>(days | day);
    }
    return days;
}

nlohmann::json weekdays_json(std::uint8_t weekdays)
{
    auto days = nlohmann::json::array();
    for (auto const day : from_monday)
        if ((weekdays >> day & 1u) != 0)
            days.push_back(weekday_names[day]);
    return days;
}

window_spec parse_window(strict_object& object)
{
    window_spec window;
    window.from = parse_time_of_day(object.need_text("from", 64), object.path_of("from"));
    window.to = parse_time_of_day(object.need_text("to", 64), object.path_of("to"));
    if (auto const* const days = object.find("days"))
        window.weekdays = parse_weekdays(*days, object.path_of("days"));
    return window;
}

void write_window(nlohmann::json& schedule, window_spec const& window)
{
    schedule["from"] = time_of_day_text(window.from);
    schedule["to"] = time_of_day_text(window.to);
    schedule["days"] = weekdays_json(window.weekdays);
}

} // namespace baton::protocol
