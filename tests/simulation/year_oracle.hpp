#pragma once
// The firings of a year, computed without libs/schedule: by a look at each of its minutes, with the C library's clock
// of a time zone. The tasks are made of fields, from which both the text of their schedules and their firings follow.

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace year_oracle {

using baton::utc_time;

struct local_minute {
    int year, month, day, hour, minute, weekday; // weekday: 0 is Sunday
    int last_day;                                // of the month
    bool second_pass = false;                    // the clock was set back, and shows it again
};

// The minutes of a year in one time zone.
struct zone_year {
    std::string name;
    std::vector<local_minute> minutes;
    std::map<std::size_t, std::vector<local_minute>> gaps; // the times that the clock leaves out just before a minute
};
zone_year look_at_zone(std::string const& name, utc_time begin, std::size_t minutes);

struct task {
    nlohmann::json schedule;
    nlohmann::json misfire;        // null: the default
    std::vector<utc_time> firings; // of the whole year, in order
    std::set<utc_time> skipped{};  // of these, by the misfire policy
    std::vector<utc_time> runs() const;
};

// A mixed schedule: both dialects of cron, fixed rates, windows, calendar intervals, single firings.
task draw_task(std::mt19937_64& chance, std::vector<zone_year> const& zones, utc_time begin);

// Notes which firings from `cursor` to `now`, which no master has planned yet, the misfire policy of the task leaves
// out.
void pass_outage(task& of, utc_time cursor, utc_time now);

} // namespace year_oracle
