#include "cli/config/duration.hpp"

#include "libs/base/error.hpp"

#include <charconv>

namespace baton::cli {

namespace {

struct unit {
    std::string_view name;
    std::int64_t micros;
};

constexpr unit units[] = {
    {"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1},
};

constexpr std::int64_t longest_us = 36'525 * 86'400'000'000; // a hundred years: sums of spans stay far from overflow

} // namespace

duration parse_duration(std::string_view text)
{
    std::int64_t count = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    std::string_view const rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failure == std::errc{} && count >= 0)
        for (auto const& each : units)
            if (each.name == rest) {
                if (count > longest_us / each.micros)
                    throw invalid_input("", "is longer than a hundred years");
                return duration{count * each.micros};
            }
    throw invalid_input("",
                        "must be a whole number with a unit, such as \"300ms\", \"5s\" or \"2m\" (us, ms, s, m, h, d)");
}

std::string format_duration(duration span)
{
    for (auto const& each : units)
        if (span.count() != 0 && span.count() % each.micros == 0)
            return std::to_string(span.count() / each.micros).append(each.name);
    return "0s";
}

} // namespace baton::cli
