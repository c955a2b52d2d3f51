#include "libs/protocol/time_limits.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/strict.hpp"

namespace baton::protocol {

namespace {

constexpr duration longest_limit = std::chrono::days{366};

duration limit_of(strict_object& object, char const* key)
{
    return std::chrono::milliseconds{object.number(key, 0, 0, longest_limit / 1ms)};
}

} // namespace

time_limits parse_time_limits(nlohmann::json const& value)
{
    strict_object object(value, "limits");
    time_limits limits;
    limits.start_within = limit_of(object, "start_within_ms");
    limits.late_start = parse<protocol::late_start>(object.text("late_start", "skip", 32), "limits.late_start");
    limits.total = limit_of(object, "total_ms");
    object.finish();
    if (limits.total > 0s && limits.start_within >= limits.total)
        throw invalid_input("limits.start_within_ms", "limits.start_within_ms must be below limits.total_ms (" +
                                                          std::to_string(limits.total / 1ms) +
                                                          "), which counts from the same instant");
    return limits;
}

nlohmann::json to_json(time_limits const& limits)
{
    return {{"start_within_ms", limits.start_within / 1ms},
            {"late_start", to_string(limits.late_start)},
            {"total_ms", limits.total / 1ms}};
}

} // namespace baton::protocol
