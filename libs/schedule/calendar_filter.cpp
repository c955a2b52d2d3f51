#include "libs/schedule/calendar_filter.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using protocol::calendar_mode;

constexpr std::int32_t length_of_day = 86'400;
constexpr int most_days = 400; // that one look passes; a longer state is looked at again

utc_time later_by(utc_time at, local_time from, local_time until)
{
    return chr::floor<chr::seconds>(at) + (until - from);
}

} // namespace

compiled_calendar::compiled_calendar(protocol::calendar_content const& content)
    : zone_(content.zone), dates_(content.dates), each_year_(!content.yearly.empty())
{
    for (auto const& day : content.yearly)
        for (std::size_t month = 0; month < yearly_.size(); ++month)
            if (day.month == protocol::year_day::each_month || day.month == month + 1)
                yearly_[month].push_back(day);
    std::array<std::vector<day_part>, 7> raw;
    for (auto const& span : content.weekly)
        for (std::size_t day = 0; day < 7; ++day) {
            if ((span.weekdays >> day & 1u) == 0)
                continue;
            auto const from = static_cast<std::int32_t>(span.from.count());
            auto const until = static_cast<std::int32_t>(span.until.count());
            raw[day].push_back({from, until > from ? until : length_of_day});
            if (until <= from && until > 0)
                raw[(day + 1) % 7].push_back({0, until});
            weekly_ = true;
        }
    for (std::size_t day = 0; day < 7; ++day) {
        std::ranges::sort(raw[day], {}, &day_part::from);
        for (auto const& each : raw[day])
            if (week_[day].empty() || each.from > week_[day].back().until)
                week_[day].push_back(each);
            else
                week_[day].back().until = std::max(week_[day].back().until, each.until);
    }
}

bool compiled_calendar::is_whole(chr::local_days day) const
{
    auto const span = std::ranges::lower_bound(dates_, day, {}, &protocol::date_span::last);
    if (span != dates_.end() && span->first <= day)
        return true;
    auto const month = static_cast<unsigned>(chr::year_month_day{day}.month());
    return std::ranges::any_of(yearly_[month - 1], [&](auto const& rule) { return matches(rule, day); });
}

compiled_calendar::day_parts const& compiled_calendar::parts_of(chr::local_days day) const
{
    static day_parts const whole{{0, length_of_day}};
    return is_whole(day) ? whole : week_[chr::weekday{day}.c_encoding()];
}

// The end of the state "inside" that lasts to second `end` of the day, through the midnights that follow.
local_time compiled_calendar::end_of_inside(chr::local_days day, std::int32_t end) const
{
    for (int passed = 0; end == length_of_day && passed < most_days; ++passed) {
        day += chr::days{1};
        auto const& parts = parts_of(day);
        end = !parts.empty() && parts.front().from == 0 ? parts.front().until : 0;
    }
    return local_time{day} + chr::seconds{end};
}

// The begin of the next part behind second `after` of the day.
local_time compiled_calendar::next_inside(chr::local_days day, std::int32_t after) const
{
    if (!weekly_ && !each_year_) { // whole days, of which there are later ones
        auto const next = std::ranges::upper_bound(dates_, day, {}, &protocol::date_span::first);
        return local_time{next->first};
    }
    for (int passed = 0; passed < most_days; ++passed, day += chr::days{1}, after = -1)
        for (auto const& part : parts_of(day))
            if (part.from > after)
                return local_time{day} + chr::seconds{part.from};
    return local_time{day};
}

bool compiled_calendar::contains(utc_time when) const
{
    auto const reading = zone_.at(when).local(when);
    auto const day = chr::floor<chr::days>(reading);
    auto const second = (reading - local_time{day}).count();
    return std::ranges::any_of(parts_of(day),
                               [&](auto const& part) { return part.from <= second && second < part.until; });
}

calendar_state compiled_calendar::at(utc_time when) const
{
    auto const period = zone_.at(when);
    auto const reading = period.local(when);
    auto const day = chr::floor<chr::days>(reading);
    auto const second = static_cast<std::int32_t>((reading - local_time{day}).count());
    for (auto const& part : parts_of(day))
        if (part.from <= second && second < part.until)
            return {true, std::min(period.end, later_by(when, reading, end_of_inside(day, part.until)))};
    bool const over = !weekly_ && !each_year_ && (dates_.empty() || dates_.back().last < day);
    if (over)
        return {false, utc_time::max()};
    return {false, std::min(period.end, later_by(when, reading, next_inside(day, second)))};
}

calendar_filter::calendar_filter(std::vector<protocol::calendar_use> const& uses,
                                 std::vector<protocol::firing_skip> const& skips)
{
    for (auto const& each : skips)
        skips_.push_back(each.firing);
    for (auto const& each : uses)
        if (each.version != 0)
            uses_.push_back({compiled_calendar(each.content), each.mode});
}

std::optional<utc_time> calendar_filter::kept_back_until(utc_time at) const
{
    bool has_allow = false;
    bool allowed = false;
    auto until = utc_time::max();
    for (auto const& each : uses_) {
        if (each.mode == calendar_mode::exclude) {
            if (each.calendar.contains(at))
                return each.calendar.at(at).until;
            continue;
        }
        auto const state = each.calendar.at(at);
        has_allow = true;
        allowed = allowed || state.inside;
        until = std::min(until, state.until);
    }
    return has_allow && !allowed ? std::optional{until} : std::nullopt;
}

bool calendar_filter::is_skipped(utc_time at) const
{
    return std::ranges::binary_search(skips_, at);
}

std::vector<utc_time> calendar_filter::skips_between(utc_time from, utc_time until) const
{
    std::vector<utc_time> found;
    for (auto at = std::ranges::lower_bound(skips_, from); at != skips_.end() && *at < until; ++at)
        if (!kept_back_until(*at))
            found.push_back(*at);
    return found;
}

std::optional<utc_time> calendar_filter::admitted(utc_time& from, int& steps) const
{
    while (from < latest_firing) {
        auto const until = is_skipped(from) ? std::optional{from + utc_time::duration{1}} : kept_back_until(from);
        if (!until)
            return from;
        from = *until;
        if (--steps <= 0)
            return std::nullopt;
    }
    return std::nullopt;
}

} // namespace baton::schedule
