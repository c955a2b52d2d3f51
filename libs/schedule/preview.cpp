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

class preview_search::work {
public:
    work(schedule_spec const& spec, utc_time created_at, preview_bounds bounds)
        : times_(spec, created_at),
          wall_(wall_schedule_of(spec, created_at)),
          left_out_(spec, created_at),
          bounds_(bounds),
          from_(bounds.from),
          place_(bounds.from),
          room_(static_cast<std::size_t>(std::max<std::int64_t>(bounds.left, 0))),
          knows_jitter_(knows_jitter(spec.firing))
    {
        found_.unplanned = unplanned_of(spec.kind);
    }

    bool advance()
    {
        if (found_.unplanned)
            return false;
        for (int left = piece_cost; left > 0;) {
            timetable::piece part{place_, std::min(left, steps_)};
            int const given = part.steps;
            auto const at = times_.first(part);
            bool const used_up = !at && part.steps <= 0;
            place_ = part.from;
            steps_ -= given - std::max(part.steps, 0);
            left -= given - std::max(part.steps, 0) + 1;
            if (used_up && steps_ > 0)
                continue;
            if (!at)
                return end(steps_ <= 0 ? preview_end::bound : preview_end::over);
            if (room_ == 0)
                return end(preview_end::max_firings);
            left -= static_cast<int>(add(*at));
            if (found_.firings.size() == room_)
                return end(preview_end::max_firings);
            if (found_.firings.size() == bounds_.count)
                return end(preview_end::more);
        }
        return true;
    }

    schedule_preview take() { return std::move(found_); }

private:
    static constexpr int piece_cost = 500; // changes of the calendars, firings and times that are left out

    bool end(preview_end how)
    {
        found_.end = how;
        found_.never = found_.firings.empty() && how != preview_end::max_firings;
        return false;
    }

    // Returns how many times before it were looked at.
    std::size_t add(utc_time at)
    {
        if (found_.firings.empty())
            steps_ += most_preview_steps - most_calendar_steps;
        previewed_firing firing{.at = at, .due_at = {}, .clock = {}, .before = left_out_.find(from_, at)};
        if (knows_jitter_)
            firing.due_at = times_.due_at(at);
        if (wall_)
            firing.clock = effect_at(*wall_, at);
        auto const looked_at = firing.before.count;
        found_.firings.push_back(std::move(firing));
        from_ = place_ = at + tick;
        return looked_at;
    }

    timetable times_;
    std::optional<wall_schedule> wall_;
    left_out_search left_out_;
    preview_bounds bounds_;
    utc_time from_;                   // behind the firing before
    utc_time place_;                  // where the search stands
    int steps_ = most_calendar_steps; // that are left; as many for the first firing as a save has
    std::size_t room_;
    bool knows_jitter_;
    schedule_preview found_;
};

preview_search::preview_search(schedule_spec const& spec, utc_time created_at, preview_bounds bounds)
    : work_(std::make_unique<work>(spec, created_at, bounds))
{}

preview_search::~preview_search() = default;
preview_search::preview_search(preview_search&&) noexcept = default;
preview_search& preview_search::operator=(preview_search&&) noexcept = default;

bool preview_search::advance()
{
    return work_->advance();
}

schedule_preview preview_search::take()
{
    return work_->take();
}

schedule_preview preview(schedule_spec const& spec, utc_time created_at, preview_bounds bounds)
{
    preview_search whole(spec, created_at, bounds);
    while (whole.advance())
        ;
    return whole.take();
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
