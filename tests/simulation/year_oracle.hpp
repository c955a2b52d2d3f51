#pragma once
// The firings of a year, computed without libs/schedule: by a look at each of its minutes, with the C library's clock
// of a time zone. The tasks are made of fields, from which both the text of their schedules and their firings follow.

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
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
    bool comes_again = false;                    // the clock will be set back, and shows it again
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

// A pause of one service, or of all.
struct pause {
    std::optional<int> service;
    bool skips; // otherwise it holds
    utc_time since;
    std::optional<utc_time> ended{};
    bool concerns(int which) const { return !service || *service == which; }
    bool covers(utc_time at) const { return since <= at && (!ended || at < *ended); }
};

// The pauses of a service, of which one at most is in force at a time.
using pauses = std::vector<pause>;
bool is_paused(pauses const& all, int service, utc_time now);
bool skips(pauses const& all, int service, utc_time firing);

// Of a task with a fixed delay: where its chain of runs stands.
struct delay_chain {
    duration pause{};
    calendar const* within = nullptr; // its named calendar
    std::optional<utc_time> next{};   // none: it has ended
    bool planned = false;
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
    int service = 0;
    utc_time end{duration::max()};          // of its validity
    std::set<utc_time> asked{};             // that people have asked to skip
    std::map<utc_time, utc_time> started{}; // of a task after another one: when each firing was started
    std::optional<delay_chain> delay{};

    std::vector<utc_time> runs() const;
    utc_time due_at(utc_time firing) const;
};

inline constexpr int service_count = 4;

// A mixed schedule: both dialects of cron, hashed values, all rules for changes of the clock, fixed rates and delays,
// windows, calendar intervals, single firings; some with a jitter, a maximum of firings, a calendar, a start or an end.
task draw_task(std::mt19937_64& chance, std::vector<zone_year> const& zones, std::vector<calendar> const& calendars,
               utc_time begin);

// Notes which firings from `cursor` to `now`, which no master has planned yet, the misfire policy of the task leaves
// out. An edit plans those of a paused service as well.
void pass_outage(task& of, utc_time cursor, utc_time now, pauses const& paused, bool by_edit);

// Edits that hold from the line on.
void replace(task& of, task const& by, utc_time line);
void enable(task& of, bool on, utc_time line);
// The next `count` firings are to be skipped.
void skip_next(task& of, int count, utc_time line);

// A fixed delay begins, a master plans it up to this instant, and what is due ends now.
void begin_delay(task& of, utc_time begin);
void plan_delay(task& of, utc_time until, utc_time now, pauses const& paused);
void end_delay(task& of, utc_time now, utc_time begin, pauses const& paused);

// At the end of the year: what is left out besides.
void leave_out(task& of, pauses const& paused);

// Which runs succeed in this test, and those of a task that runs after this one.
bool succeeds(utc_time firing);
std::vector<utc_time> runs_after(task const& parent);

// The output function of SplitMix64.
std::uint64_t spread(std::uint64_t value);

} // namespace year_oracle
