#include "libs/schedule/misfire.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

using protocol::misfire_action;
using protocol::misfire_policy;

std::string text_of(duration span)
{
    return span % 1s == 0s ? std::to_string(span / 1s) + " s" : std::to_string(span / 1ms) + " ms";
}

} // namespace

std::size_t most_successors(misfire_policy const& policy)
{
    switch (policy.action) {
    case misfire_action::fire_once:
        return 1;
    case misfire_action::fire_all:
        return static_cast<std::size_t>(policy.limit);
    case misfire_action::skip:
        break;
    }
    return 0;
}

bool is_late(misfire_policy const& policy, utc_time firing, utc_time now)
{
    return now - firing > policy.after;
}

std::size_t successors_to_skip(misfire_policy const& policy, utc_time firing, utc_time now)
{
    bool const too_old = policy.within > 0s && now - firing > policy.within;
    return policy.action == misfire_action::fire_all && too_old ? 0 : most_successors(policy);
}

late_firings divide_late(timetable const& times, misfire_policy const& policy, due_span span)
{
    late_firings found;
    auto const most = most_skipped + most_successors(policy);
    auto const firings = times.between(span.cursor, std::min(span.now + tick, span.until), most + 1);
    bool const all = firings.size() <= most;
    auto const decided = all ? firings.size() : most_skipped;
    for (std::size_t i = 0; i < decided; ++i) {
        auto const at = firings[i];
        bool const skip =
            is_late(policy, at, span.now) && firings.size() - 1 - i >= successors_to_skip(policy, at, span.now);
        (skip ? found.skipped : found.due).push_back(at);
    }
    if (!all)
        found.rest = firings[decided];
    return found;
}

std::string reason_of_skip(misfire_policy const& policy)
{
    auto const late =
        "over " + text_of(policy.after) + " late; misfire policy " + std::string(protocol::to_string(policy.action));
    switch (policy.action) {
    case misfire_action::fire_once:
        return late + ": a later firing runs instead";
    case misfire_action::fire_all:
        return late + ": only the latest " + std::to_string(policy.limit) + " run" +
               (policy.within > 0s ? ", of the last " + text_of(policy.within) : "");
    case misfire_action::skip:
        break;
    }
    return late;
}

} // namespace baton::schedule
