#include "libs/schedule/clock_notes.hpp"

#include "libs/schedule/wall_schedule.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;
using protocol::gap_policy;
using protocol::overlap_policy;
using protocol::schedule_spec;

std::string text_of(local_time shown, std::size_t from, std::size_t length)
{
    return to_rfc3339(as_if_utc(shown)).substr(from, length);
}

std::string date_of(local_time shown)
{
    return text_of(shown, 0, 10);
}

std::string clock_of(local_time shown)
{
    auto const with_seconds = text_of(shown, 11, 8);
    return with_seconds.ends_with(":00") ? with_seconds.substr(0, 5) : with_seconds;
}

// The readings that a change skips or shows twice.
struct met_readings {
    std::size_t count = 0; // at most most_counted
    local_time first;
    local_time last;
};

constexpr std::size_t most_counted = 1'000;

met_readings readings_in(reading_search const& first, local_time from, local_time until)
{
    met_readings met;
    for (auto shown = first(from, until); shown && met.count < most_counted; shown = first(*shown + 1s, until)) {
        met.first = met.count++ == 0 ? *shown : met.first;
        met.last = *shown;
    }
    return met;
}

// "02:15", "02:00 and 02:30", "60 times from 02:00 to 02:59"
std::string text_of(met_readings const& met)
{
    auto const first = clock_of(met.first);
    auto const last = clock_of(met.last);
    if (met.count == 1)
        return first;
    if (met.count == 2)
        return first + " and " + last;
    if (met.count == most_counted)
        return "many times from " + first + " on";
    return std::to_string(met.count) + " times from " + first + " to " + last;
}

struct offset_change {
    utc_time at;
    local_time reached; // by the old offset
    local_time begin;   // by the new one
    bool forward() const { return begin > reached; }
};

std::string gap_text(met_readings const& met, offset_change const& change, gap_policy policy)
{
    switch (policy) {
    case gap_policy::skip:
        return "no firing";
    case gap_policy::next_valid:
        return "fires once, at " + clock_of(change.begin) + (met.count > 1 ? ", for all of them" : "");
    case gap_policy::shift:
        break;
    }
    auto const moved = change.begin - change.reached;
    if (met.count == 1)
        return "fires at " + clock_of(met.first + moved);
    return "fires " + std::to_string(moved / 1min) + " minutes later, from " + clock_of(met.first + moved) + " on";
}

std::string overlap_text(overlap_policy policy)
{
    switch (policy) {
    case overlap_policy::first:
        return "fires the first time only";
    case overlap_policy::second:
        return "fires the second time only";
    case overlap_policy::both:
        break;
    }
    return "fires both times";
}

std::optional<clock_note> note_of(wall_schedule const& times, offset_change const& change)
{
    auto const met =
        readings_in(times.first, std::min(change.reached, change.begin), std::max(change.reached, change.begin));
    if (met.count == 0)
        return std::nullopt;
    auto const head = "on " + date_of(met.first) + " the clock of " + times.zone.name();
    if (change.forward())
        return clock_note{change.at, clock_change::gap,
                          head + " skips " + text_of(met) + ": " + gap_text(met, change, times.policy.gap)};
    return clock_note{change.at, clock_change::overlap,
                      head + " shows " + text_of(met) + " twice: " + overlap_text(times.policy.overlap)};
}

std::vector<clock_note> notes_of(wall_schedule const& times, utc_time from, utc_time until)
{
    std::vector<clock_note> found;
    auto period = times.zone.at(from);
    while (period.end < until) {
        auto const following = times.zone.at(period.end);
        if (auto note = note_of(times, {period.end, period.local_end(), following.local_begin()}))
            found.push_back(std::move(*note));
        period = following;
    }
    return found;
}

} // namespace

std::vector<clock_note> clock_notes(schedule_spec const& spec, utc_time created_at, utc_time now)
{
    if (now >= latest_firing)
        return {};
    auto const from = std::max(now, spec.start_at.value_or(now));
    auto const until = std::min<utc_time>(now + days_noted, spec.end_at.value_or(now + days_noted));
    if (from >= until)
        return {};
    auto const times = wall_schedule_of(spec, created_at);
    return times ? notes_of(*times, from, until) : std::vector<clock_note>{};
}

} // namespace baton::schedule
