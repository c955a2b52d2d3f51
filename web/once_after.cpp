#include "web/once_after.hpp"

#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

namespace baton::web {

nlohmann::json once_after(nlohmann::json document, utc_time now)
{
    if (!document.is_object() || !document.contains("schedule"))
        return document;
    auto& schedule = document["schedule"];
    if (!schedule.is_object() || !schedule.contains("in_ms") ||
        schedule.value("kind", nlohmann::json("once")) != "once")
        return document;
    if (schedule.contains("at"))
        throw invalid_input("schedule.in_ms",
                            "schedule.in_ms and schedule.at exclude each other: leave one of them out");
    protocol::strict_object object(schedule, "schedule");
    auto const span = std::chrono::milliseconds{object.number("in_ms", 0, 1, protocol::longest_span / 1ms)};
    schedule.erase("in_ms");
    schedule["at"] = to_rfc3339(now + span);
    return document;
}

} // namespace baton::web
