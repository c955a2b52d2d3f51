#include "libs/protocol/retry_policy.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

constexpr int most_doublings = 40; // from a millisecond these exceed longest_span

duration doubled(duration pause, int times, duration longest)
{
    for (int i = 0; i < std::min(times, most_doublings) && pause < longest; ++i)
        pause *= 2;
    return std::min(pause, longest);
}

bool is_class_character(char c)
{
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == ':' || c == '-';
}

std::vector<std::string> parse_final_errors(strict_object& object)
{
    auto classes = object.texts("final_errors", most_final_errors, longest_error_class);
    for (auto const& name : classes)
        if (!std::ranges::all_of(name, is_class_character))
            throw invalid_input("retry.final_errors",
                                "retry.final_errors must list names of letters, digits, '.', '_', "
                                "':' and '-', such as bad_input, not " +
                                    in_quotes(name));
    return classes;
}

} // namespace

retry_policy parse_retry(nlohmann::json const& value)
{
    strict_object object(value, "retry");
    retry_policy policy;
    policy.backoff = parse<protocol::backoff>(object.text("backoff", "fixed", 32), "retry.backoff");
    if (policy.backoff == backoff::exponential)
        policy.longest = object.millis("longest_ms", policy.longest, 1ms, longest_span);
    else
        object.refuse({"longest_ms"}, "is only for retry.backoff exponential");
    policy.jitter_percent = static_cast<int>(object.number("jitter_percent", 0, 0, 100));
    policy.final_errors = parse_final_errors(object);
    policy.on = parse<retry_on>(object.text("on", "any", 64), "retry.on");
    object.finish();
    return policy;
}

nlohmann::json to_json(retry_policy const& policy)
{
    nlohmann::json value{{"backoff", to_string(policy.backoff)},
                         {"jitter_percent", policy.jitter_percent},
                         {"final_errors", policy.final_errors},
                         {"on", to_string(policy.on)}};
    if (policy.backoff == backoff::exponential)
        value["longest_ms"] = policy.longest / 1ms;
    return value;
}

duration pause_before_retry(retry_policy const& policy, duration retry_delay, failed_attempt const& which)
{
    auto pause = retry_delay;
    if (policy.backoff == backoff::exponential)
        pause = doubled(retry_delay, which.failures - 1, policy.longest);
    if (policy.jitter_percent == 0)
        return pause;
    auto const most = pause / 100 * policy.jitter_percent;
    seeded_random draw(static_cast<std::uint64_t>(which.execution.value()) ^ static_cast<std::uint64_t>(which.attempt));
    return pause + duration{static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(most.count()) + 1))};
}

} // namespace baton::protocol
