#pragma once
// The rule of a calendar interval: a day of every n-th day, week, month or year.

#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>

namespace baton::protocol {

class strict_object;

enum class calendar_unit : std::uint8_t {
    days,
    weeks, // from Monday to Sunday
    months,
    years, // each in the month in which the counting begins
};
template <>
inline constexpr std::array<std::string_view, 4> names_of<calendar_unit>{"days", "weeks", "months", "years"};

// The remedy for a day that is a Saturday or a Sunday.
enum class business_roll : std::uint8_t {
    none,
    next_business_day,
    previous_business_day,
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<business_roll>{"none", "next_business_day",
                                                                         "previous_business_day"};

// A day of a month.
struct calendar_day {
    enum class rule : std::uint8_t {
        as_start,          // the day of the month on which the counting begins
        number,            // the n-th, or the last day of months that have none
        last_day,          //
        last_business_day, // the last one from Monday to Friday
        weekday,           // the n-th of these days of the week; with 5 the last one
    };
    rule by = rule::as_start;
    std::uint8_t n = 0;
    std::uint8_t weekday = 0; // Sunday is 0

    friend bool operator==(calendar_day const&, calendar_day const&) = default;
};

inline constexpr std::uint8_t last_of_month = 5; // of calendar_day::n

struct calendar_spec {
    std::int32_t every = 1;
    calendar_unit unit = calendar_unit::months;
    std::chrono::seconds time{}; // of the day
    calendar_day on{};           // months, years
    business_roll roll{};        // months, years
    std::uint8_t weekdays = 0;   // weeks; 0: the day of the week on which the counting begins
};

inline constexpr std::int32_t most_units = 1'000;

// The members every, unit, time, on, roll and days of a schedule. `on` is a number from 1 to 31, "last_day",
// "last_business_day" or such as "second tuesday" and "last friday".
calendar_spec parse_calendar(strict_object& object);
void write_calendar(nlohmann::json& schedule, calendar_spec const& spec);

} // namespace baton::protocol
