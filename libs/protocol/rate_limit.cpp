#include "libs/protocol/rate_limit.hpp"

#include "libs/protocol/concurrency.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

int usual_burst(int limit, duration per)
{
    auto const in_half_a_second = limit * (duration{500ms} / 1us) / (per / 1us);
    return static_cast<int>(1 + in_half_a_second);
}

} // namespace

rate_limit parse_rate(nlohmann::json const& value, std::string const& path)
{
    strict_object object(value, path);
    rate_limit rate;
    if (object.find("limit") == nullptr)
        throw invalid_input(object.path_of("limit"),
                            object.path_of("limit") +
                                R"( is required, such as in {"limit": 100, "per_ms": 60000}; 0: no rate)");
    rate.limit = static_cast<int>(object.number("limit", 0, 0, most_in_a_rate));
    if (rate.limit == 0) {
        object.refuse({"per_ms", "burst"}, "needs a limit above 0; 0 is no rate");
    } else {
        rate.per = std::chrono::milliseconds{
            object.number("per_ms", 1'000, shortest_rate_span / 1ms, longest_rate_span / 1ms)};
        rate.burst = static_cast<int>(object.number("burst", usual_burst(rate.limit, rate.per), 1, 2 * most_in_a_rate));
    }
    object.finish();
    return rate;
}

nlohmann::json to_json(rate_limit const& rate)
{
    nlohmann::json value{{"limit", rate.limit}};
    if (!rate.any())
        return value;
    value["per_ms"] = rate.per / 1ms;
    value["burst"] = rate.burst;
    return value;
}

scope_limits parse_scope_limits(nlohmann::json const& value, std::string const& path)
{
    strict_object object(value, path);
    scope_limits limits;
    limits.concurrency = static_cast<int>(object.number("concurrency", 0, 0, most_concurrent));
    if (auto const* rate = object.find("rate"))
        limits.rate = parse_rate(*rate, object.path_of("rate"));
    object.finish();
    return limits;
}

nlohmann::json to_json(scope_limits const& limits)
{
    return {{"concurrency", limits.concurrency}, {"rate", to_json(limits.rate)}};
}

std::string to_text(rate_limit const& rate)
{
    auto const ms = rate.per / 1ms;
    auto const span = ms % 1'000 == 0 ? std::to_string(ms / 1'000) + " s" : std::to_string(ms) + " ms";
    return std::to_string(rate.limit) + " in " + span + ", burst " + std::to_string(rate.burst);
}

} // namespace baton::protocol
