#include "libs/schedule/skips.hpp"

#include "libs/schedule/schedule.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

using protocol::firing_skip;
using protocol::schedule_kind;

constexpr duration remembered = 24h; // of a skip behind its firing, so that a repeated request finds it

skip_ruling refusal_of(std::string why)
{
    skip_ruling ruling;
    ruling.refusal = std::move(why);
    return ruling;
}

// Why a task has no firing that can be named; empty if it may have one.
std::string unknown_firings(protocol::task_definition const& task)
{
    switch (task.schedule.kind) {
    case schedule_kind::fixed_delay:
        return "the next firing of a fixed delay is not known before the run before it has ended; disable the task "
               "for that time";
    case schedule_kind::after:
        return "this task fires after another one; skip the next firing of that task";
    case schedule_kind::api:
        return "this task has no firings: it runs only when it is asked for";
    default:
        return task.enabled ? "" : "this task is disabled, so it has no next firing";
    }
}

timetable without_skips(protocol::task_definition const& task, utc_time created_at)
{
    auto all = task.schedule;
    all.skips.clear();
    return {all, created_at};
}

std::vector<firing_skip> kept_skips(std::vector<firing_skip> skips, utc_time line)
{
    std::erase_if(skips, [&](firing_skip const& one) { return one.firing < line - remembered; });
    auto const spare = protocol::most_stored_skips - protocol::most_skips;
    if (skips.size() > spare) // past ones, since those ahead are fewer
        skips.erase(skips.begin(), skips.end() - static_cast<std::ptrdiff_t>(spare));
    return skips;
}

// Why the first firing cannot be the one that the caller expects.
std::string unexpected(utc_time expected, std::optional<utc_time> next)
{
    auto const instead = next ? "the next firing that can still be skipped is that of " + to_rfc3339(*next)
                              : std::string("no further firing can be skipped");
    return "the firing of " + to_rfc3339(expected) +
           " cannot be skipped: it is too near, it is past, or the task does not fire then; " + instead;
}

std::vector<utc_time> wanted_firings(protocol::task_definition const& task, utc_time created_at,
                                     skip_request const& request, utc_time line)
{
    auto const count = static_cast<std::size_t>(request.count);
    if (request.expected)
        return without_skips(task, created_at).between(*request.expected, utc_time::max(), count);
    return timetable(task.schedule, created_at).between(line, utc_time::max(), count);
}

} // namespace

skip_ruling skip_next(protocol::task_definition const& task, utc_time created_at, skip_request const& request,
                      utc_time line, utc_time asked_at)
{
    if (auto why = unknown_firings(task); !why.empty())
        return refusal_of(std::move(why));
    auto const next = timetable(task.schedule, created_at).first(line);
    bool const known = request.expected && protocol::skip_of(task.schedule.skips, *request.expected) != nullptr;
    if (request.expected && !known && next != request.expected)
        return refusal_of(unexpected(*request.expected, next));
    skip_ruling ruling;
    ruling.firings = wanted_firings(task, created_at, request, line);
    ruling.skips = kept_skips(task.schedule.skips, line);
    for (auto const at : ruling.firings) {
        if (protocol::skip_of(task.schedule.skips, at) != nullptr)
            continue;
        if (at < line) // behind an expected firing that is past
            return refusal_of(unexpected(at, next));
        ruling.skips.push_back({at, asked_at, request.by, request.reason});
        ruling.changed = true;
    }
    if (ruling.firings.empty())
        return refusal_of("this task has no further firing");
    std::ranges::sort(ruling.skips, {}, &firing_skip::firing);
    auto const ahead = std::ranges::count_if(ruling.skips, [&](auto const& one) { return one.firing >= line; });
    if (static_cast<std::size_t>(ahead) > protocol::most_skips)
        return refusal_of("more than " + std::to_string(protocol::most_skips) +
                          " firings of this task would be skipped ahead; disable the task, or give it an end_at or a "
                          "calendar");
    return ruling;
}

skip_ruling undo_skips(protocol::task_definition const& task, utc_time created_at, std::optional<utc_time> firing,
                       utc_time line)
{
    auto const ahead = skips_from(task.schedule, created_at, line);
    skip_ruling ruling;
    for (auto const& one : ahead)
        if (!firing || one.firing == *firing)
            ruling.firings.push_back(one.firing);
    if (ruling.firings.empty())
        return refusal_of(firing
                              ? "the firing of " + to_rfc3339(*firing) + " is not skipped, or is too near for an undo"
                              : std::string("no firing of this task that is skipped can still be taken back"));
    ruling.skips = task.schedule.skips;
    std::erase_if(ruling.skips,
                  [&](firing_skip const& one) { return one.firing >= line && (!firing || one.firing == *firing); });
    ruling.changed = true;
    return ruling;
}

std::vector<firing_skip> skips_from(protocol::schedule_spec const& schedule, utc_time created_at, utc_time from)
{
    std::vector<firing_skip> found;
    if (schedule.skips.empty())
        return found;
    for (auto const at : timetable(schedule, created_at).skips_between(from, utc_time::max()))
        found.push_back(*protocol::skip_of(schedule.skips, at));
    return found;
}

} // namespace baton::schedule
