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
#include <utility>
#include <vector>

namespace year_oracle {

using baton::duration;
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

// A named calendar.
struct calendar {
    struct part {
        std::set<int> days;
        int from, until; // minutes of the day
    };
    std::string name;
    std::string mode;                         // of its use: exclude, allow
    nlohmann::json definition;                // for baton
    zone_year const* zone;                    // whose minutes it reads
    std::vector<part> weekly{};               // over midnight if `until` is not behind `from`
    std::set<int> yearly{};                   // 1224: 24 December
    std::vector<std::pair<int, int>> dates{}; // 20261224, both included
    bool contains(local_minute const& at) const;
};

// From a line on, how much later than its firings a task is due.
struct jitter {
    utc_time from{duration::min()};
    duration most{};
    std::uint32_t seed = 0;
};

struct task {
    nlohmann::json schedule;
    nlohmann::json misfire;        // null: the default
    std::vector<utc_time> firings; // of the whole year, in order
    std::set<utc_time> skipped{};  // of these, by the misfire policy
    std::set<utc_time> unsure{};   // of these, late or due within seconds of the look of a master
    std::vector<jitter> jitters{jitter{}};
    std::int64_t most = 0; // firings that may run; 0: all
    bool enabled = true;
    std::vector<utc_time> all_firings{}; // while it is not enabled, those that it would have

    std::vector<utc_time> runs() const;
    utc_time due_at(utc_time firing) const;
};

// A mixed schedule: both dialects of cron, fixed rates, windows, calendar intervals, single firings; some with a
// jitter, a maximum of firings or a calendar.
task draw_task(std::mt19937_64& chance, std::vector<zone_year> const& zones, std::vector<calendar> const& calendars,
               utc_time begin);

// Notes which firings from `cursor` to `now`, which no master has planned yet, the misfire policy of the task leaves
// out.
void pass_outage(task& of, utc_time cursor, utc_time now);

// Edits that hold from the line on.
void replace(task& of, task const& by, utc_time line);
void enable(task& of, bool on, utc_time line);

// Which runs succeed in this test, and those of a task that runs after this one.
bool succeeds(utc_time firing);
std::vector<utc_time> runs_after(task const& parent);

} // namespace year_oracle
