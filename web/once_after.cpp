#include "web/once_after.hpp"

#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

namespace baton::web {

namespace {

bool has_span(nlohmann::json const& document)
{
    if (!document.is_object() || !document.contains("schedule"))
        return false;
    auto const& schedule = document.at("schedule");
    return schedule.is_object() && schedule.contains("in_ms") &&
           schedule.value("kind", nlohmann::json("once")) == "once";
}

} // namespace

nlohmann::json once_after(nlohmann::json document, utc_time now)
{
    if (!has_span(document))
        return document;
    auto& schedule = document["schedule"];
    if (schedule.contains("at"))
        throw invalid_input("schedule.in_ms",
                            "schedule.in_ms and schedule.at exclude each other: leave one of them out");
    protocol::strict_object object(schedule, "schedule");
    auto const span = std::chrono::milliseconds{object.number("in_ms", 0, 1, protocol::longest_span / 1ms)};
    schedule.erase("in_ms");
    schedule["at"] = to_rfc3339(now + span);
    return document;
}

refused as_written(nlohmann::json const& document, refused refusal, duration lead)
{
    if (refusal.field() != "schedule.at" || !has_span(document))
        return refusal;
    return {422,
            "schedule.in_ms must be above " + std::to_string(lead / 1ms) +
                " by some time, since a save takes effect that much later (web.edit_lead): this task would never fire; "
                "write for example \"in_ms\": 60000",
            "schedule.in_ms"};
}

} // namespace baton::web
