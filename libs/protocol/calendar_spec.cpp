#include "libs/protocol/calendar_spec.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/protocol/wall_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace baton::protocol {

namespace {

constexpr std::array<std::string_view, 5> ordinals{"first", "second", "third", "fourth", "last"};
constexpr std::array<std::string_view, 7> weekday_words{"sunday",   "monday", "tuesday", "wednesday",
                                                        "thursday", "friday", "saturday"};

[[noreturn]] void refuse_day(std::string const& field, std::string const& given)
{
    throw invalid_input(field,
                        field +
                            " must be a day from 1 to 31, last_day, last_business_day, or a day of the week such "
                            "as 'second tuesday' or 'last friday', not " +
                            in_quotes(given));
}

calendar_day numbered(int number, std::string const& field, std::string const& given)
{
    if (number < 1 || number > 31)
        refuse_day(field, given);
    return {calendar_day::rule::number, static_cast<std::uint8_t>(number)};
}

// "second tuesday"
calendar_day named_weekday(std::string const& text, std::string const& field)
{
    auto const blank = std::min(text.find(' '), text.size());
    auto const ordinal = std::ranges::find(ordinals, text.substr(0, blank));
    auto const weekday = std::ranges::find(weekday_words, text.substr(std::min(blank + 1, text.size())));
    if (ordinal == ordinals.end() || weekday == weekday_words.end())
        refuse_day(field, text);
    return {calendar_day::rule::weekday, static_cast<std::uint8_t>(ordinal - ordinals.begin() + 1),
            static_cast<std::uint8_t>(weekday - weekday_words.begin())};
}

calendar_day parse_day(nlohmann::json const& value, std::string const& field)
{
    if (value.is_number()) { // 15.0 is 15
        auto const number = value.get<double>();
        return numbered(number >= 1 && number <= 31 && number == std::floor(number) ? static_cast<int>(number) : 0,
                        field, value.dump());
    }
    if (!value.is_string())
        refuse_day(field, value.dump());
    auto const text = value.get<std::string>();
    if (text == "last_day")
        return {calendar_day::rule::last_day};
    if (text == "last_business_day")
        return {calendar_day::rule::last_business_day};
    int number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && text.front() != '0')
        return numbered(number, field, text);
    return named_weekday(text, field);
}

nlohmann::json day_json(calendar_day const& day)
{
    switch (day.by) {
    case calendar_day::rule::as_start:
        break;
    case calendar_day::rule::number:
        return day.n;
    case calendar_day::rule::last_day:
        return "last_day";
    case calendar_day::rule::last_business_day:
        return "last_business_day";
    case calendar_day::rule::weekday:
        return std::string(ordinals[day.n - 1u]) + " " + std::string(weekday_words[day.weekday]);
    }
    return nullptr;
}

bool counts_months(calendar_unit unit)
{
    return unit == calendar_unit::months || unit == calendar_unit::years;
}

// A member of other units is not ignored, but refused.
void require_unit(strict_object const& object, char const* key, bool fits, std::string const& units)
{
    if (!fits)
        throw invalid_input(object.path_of(key), object.path_of(key) + " is only for schedule.unit " + units);
}

} // namespace

calendar_spec parse_calendar(strict_object& object)
{
    calendar_spec spec;
    object.need("every");
    spec.every = static_cast<std::int32_t>(object.number("every", 1, 1, most_units));
    spec.unit = parse<calendar_unit>(object.need_text("unit", 64), object.path_of("unit"));
    spec.time = parse_time_of_day(object.need_text("time", 64), object.path_of("time"));
    bool const in_months = counts_months(spec.unit);
    if (auto const* const on = object.find("on")) {
        require_unit(object, "on", in_months, "months or years");
        spec.on = parse_day(*on, object.path_of("on"));
    }
    if (object.find("roll") != nullptr) {
        spec.roll = parse<business_roll>(object.need_text("roll", 32), object.path_of("roll"));
        require_unit(object, "roll", in_months || spec.roll == business_roll::none, "months or years");
    }
    if (auto const* const days = object.find("days")) {
        require_unit(object, "days", spec.unit == calendar_unit::weeks, "weeks");
        spec.weekdays = parse_weekdays(*days, object.path_of("days"));
    }
    return spec;
}

void write_calendar(nlohmann::json& schedule, calendar_spec const& spec)
{
    schedule["every"] = spec.every;
    schedule["unit"] = to_string(spec.unit);
    schedule["time"] = time_of_day_text(spec.time);
    if (spec.on.by != calendar_day::rule::as_start)
        schedule["on"] = day_json(spec.on);
    if (counts_months(spec.unit))
        schedule["roll"] = to_string(spec.roll);
    if (spec.weekdays != 0)
        schedule["days"] = weekdays_json(spec.weekdays);
}

} // namespace baton::protocol
