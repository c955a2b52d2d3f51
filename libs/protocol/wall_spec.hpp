#pragma once
// Parts of schedules that are read from the clock on the wall: times of the day, days of the week.

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::protocol {

class strict_object;

inline constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
inline constexpr std::uint8_t all_weekdays = 0x7f; // bit 0 is Sunday

// From `from` to `to` on the days `weekdays`; both ends are times of the day and belong to the window. It goes over
// midnight if `to` is earlier than `from`, and then belongs to the day on which it begins.
struct window_spec {
    std::chrono::seconds from{};
    std::chrono::seconds to{};
    std::uint8_t weekdays = all_weekdays;
};

// "09:00", "17:30:15", from 00:00 to 23:59:59. Throws invalid_input with the field.
std::chrono::seconds parse_time_of_day(std::string const& text, std::string const& field);
std::string time_of_day_text(std::chrono::seconds time); // without seconds that are 0

// An array of "mon" to "sun" in any order; at least one, and none twice.
std::uint8_t parse_weekdays(nlohmann::json const& value, std::string const& field);
nlohmann::json weekdays_json(std::uint8_t weekdays); // from Monday on

// The members from, to and days of a schedule.
window_spec parse_window(strict_object& object);
void write_window(nlohmann::json& schedule, window_spec const& window);

} // namespace baton::protocol
