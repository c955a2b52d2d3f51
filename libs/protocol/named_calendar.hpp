#pragma once
// Named calendars: sets of days and times that the tasks of a project share, and how a task uses them. They have
// nothing to do with the schedule kind `calendar`.

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"
#include "libs/protocol/wall_spec.hpp"
#include "libs/protocol/year_day.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

class strict_object;

// Whole days, both included.
struct date_span {
    std::chrono::local_days first;
    std::chrono::local_days last;

    friend bool operator==(date_span const&, date_span const&) = default;
};

// A part of each of these days of the week: [from, until). It ends on the next day if `until` is not after `from`.
struct weekly_span {
    std::uint8_t weekdays = all_weekdays;
    std::chrono::seconds from{};
    std::chrono::seconds until{24h}; // 24 h: the end of the day

    friend bool operator==(weekly_span const&, weekly_span const&) = default;
};

// The moments at which the clock in the zone shows one of these days or times.
//   {"zone": "Europe/Berlin", "dates": ["2026-12-24", "2026-12-28/2027-01-01"], "yearly": ["05-01", "05-mon-last"],
//    "weekly": [{"days": ["sat", "sun"]}, {"days": ["mon"], "from": "18:00", "until": "08:00"}]}
struct calendar_content {
    std::string zone = "UTC";
    std::vector<date_span> dates; // in order, none touches another
    std::vector<year_day> yearly; // in order, each once
    std::vector<weekly_span> weekly;

    friend bool operator==(calendar_content const&, calendar_content const&) = default;
};

inline constexpr std::size_t most_dates = 2'000;
inline constexpr std::size_t most_weekly = 100;
inline constexpr std::size_t most_calendars = 8; // of a task

// Reads the members zone, dates, yearly and weekly. Throws invalid_input with the field. Does not know the zones.
calendar_content parse_calendar_content(strict_object& object);
nlohmann::json to_json(calendar_content const& content);

// In order, and joined where they touch. Throws invalid_input("dates") if there are more than most_dates then.
std::vector<date_span> merged(std::vector<date_span> spans);

struct calendar_definition {
    std::string project = "default";
    std::string name;
    std::string description;
    calendar_content content;
};

// Strict, as parse_task.
calendar_definition parse_calendar_definition(nlohmann::json const& value);
nlohmann::json to_json(calendar_definition const& calendar);

enum class calendar_mode {
    exclude, // no firing in the calendar
    allow,   // only firings in one of the calendars that allow
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<calendar_mode>{"exclude", "allow"};

// A calendar in a schedule. The storage adds the version and content that the calendar has when the task is saved, so a
// version of a task always has the same firings.
struct calendar_use {
    std::string name;
    calendar_mode mode = calendar_mode::exclude;
    int version = 0; // 0: not added yet
    calendar_content content{};

    friend bool operator==(calendar_use const&, calendar_use const&) = default;
};

// The member "calendars" of a schedule; none without it.
std::vector<calendar_use> parse_calendar_uses(strict_object& object);
// With `stored`, versions and contents too.
void write_calendar_uses(nlohmann::json& schedule, std::vector<calendar_use> const& uses, bool stored);

// Throws invalid_input if a person gives versions or contents, which only the storage adds.
void check_new_calendars(std::vector<calendar_use> const& uses);

// Gives the uses that `before` has too the version and content that they have there.
void keep_contents(std::vector<calendar_use>& uses, std::vector<calendar_use> const& before);

} // namespace baton::protocol
