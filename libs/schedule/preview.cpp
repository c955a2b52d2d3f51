#include "libs/schedule/preview.hpp"

#include "libs/base/characters.hpp"
#include "libs/schedule/schedule.hpp"
#include "libs/schedule/wall_schedule.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

using namespace std::chrono_literals;
using protocol::calendar_mode;
using protocol::schedule_kind;
using protocol::schedule_spec;

// The effect of a change of the clock on one firing.
std::optional<clock_effect> effect_at(wall_schedule const& times, utc_time at)
{
    auto const shown = times.zone.to_local(at);
    auto const both = times.zone.to_utc(shown);
    if (both.shown == moments::count::two)
        return at < both.second ? clock_effect::first_of_two : clock_effect::second_of_two;
    return times.first(shown, shown + 1s) ? std::nullopt : std::optional{clock_effect::moved};
}

// The schedule as if it had no calendars, and which of them keep back its firings.
class left_out_search {
public:
    left_out_search(schedule_spec const& spec, utc_time created_at) : times_(without_calendars(spec), created_at)
    {
        for (auto const& use : spec.calendars)
            if (use.version != 0)
                calendars_.push_back({use.name, use.mode, compiled_calendar(use.content)});
    }

    // None of the times in [from, until) is a firing.
    left_out find(utc_time from, utc_time until)
    {
        left_out found;
        if (calendars_.empty())
            return found;
        auto const most = std::clamp<std::size_t>(budget_, 1, most_left_out);
        auto const times = times_.between(from, until, most + 1);
        if (times.empty())
            return found;
        found.count = std::min(times.size(), most);
        found.more = times.size() > most;
        found.first = times.front();
        for (std::size_t at = 0; at < found.count; ++at)
            add_names(times[at], found.calendars);
        budget_ -= std::min(budget_, found.count);
        return found;
    }

private:
    struct named_calendar {
        std::string name;
        calendar_mode mode;
        compiled_calendar days;
    };

    static schedule_spec without_calendars(schedule_spec spec)
    {
        spec.calendars.clear();
        return spec;
    }

    // Those that exclude the instant; if none does, all that allow, since none of them has it.
    void add_names(utc_time at, std::vector<std::string>& names) const
    {
        auto const add = [&](std::string const& name) {
            if (std::ranges::find(names, name) == names.end())
                names.push_back(name);
        };
        bool excluded = false;
        for (auto const& each : calendars_)
            if (each.mode == calendar_mode::exclude && each.days.at(at).inside) {
                add(each.name);
                excluded = true;
            }
        for (auto const& each : calendars_)
            if (!excluded && each.mode == calendar_mode::allow)
                add(each.name);
    }

    timetable times_;
    std::vector<named_calendar> calendars_;
    std::size_t budget_ = 10 * most_left_out; // times that are looked at for all firings together
};

std::optional<unplanned> unplanned_of(schedule_kind kind)
{
    switch (kind) {
    case schedule_kind::fixed_delay:
        return unplanned::fixed_delay;
    case schedule_kind::after:
        return unplanned::after;
    case schedule_kind::api:
        return unplanned::api;
    default:
        return std::nullopt;
    }
}

bool knows_jitter(protocol::firing_rules const& rules)
{
    return rules.jitter == 0s || rules.jitter_seed.has_value();
}

} // namespace

schedule_preview preview(schedule_spec const& spec, utc_time created_at, preview_bounds bounds)
{
    timetable const times(spec, created_at);
    schedule_preview found;
    found.unplanned = unplanned_of(spec.kind);
    if (found.unplanned)
        return found;
    auto const wall = wall_schedule_of(spec, created_at);
    left_out_search search(spec, created_at);
    int steps = most_preview_steps;
    auto const room = static_cast<std::size_t>(std::max<std::int64_t>(bounds.left, 0));
    for (auto from = bounds.from; found.firings.size() < std::min(bounds.count, room);) {
        auto const at = times.first(from, steps);
        if (!at) {
            found.end = steps <= 0 ? preview_end::bound : preview_end::over;
            return found;
        }
        previewed_firing firing{.at = *at, .due_at = {}, .clock = {}, .before = search.find(from, *at)};
        if (knows_jitter(spec.firing))
            firing.due_at = times.due_at(*at);
        if (wall)
            firing.clock = effect_at(*wall, *at);
        found.firings.push_back(std::move(firing));
        from = *at + tick;
    }
    if (found.firings.size() == room)
        found.end = preview_end::max_firings;
    return found;
}

std::string explain(unplanned why, schedule_spec const& spec)
{
    switch (why) {
    case unplanned::fixed_delay:
        return "it has no planned times: each run is due a pause after the end of the run before, and the first one " +
               (spec.start_at ? "at " + to_rfc3339(*spec.start_at) : std::string("as soon as the task is saved"));
    case unplanned::after:
        return "it has no planned times: it runs after each success of a firing of the task " + in_quotes(spec.after);
    case unplanned::api:
        break;
    }
    return "it has no planned times: it runs only when it is asked to";
}

} // namespace baton::schedule
