#include "cli/span.hpp"

#include "cli/config/duration.hpp"
#include "libs/base/error.hpp"

#include <CLI/CLI.hpp>

namespace baton::cli {

namespace {

std::string two_units(std::int64_t whole, char const* unit, std::int64_t rest, char const* smaller)
{
    auto text = std::to_string(whole) + unit;
    return rest == 0 ? text : text + ' ' + std::to_string(rest) + smaller;
}

} // namespace

std::string span_text(std::int64_t milliseconds)
{
    auto const seconds = milliseconds < 60'000 ? milliseconds / 1'000 : (milliseconds + 500) / 1'000;
    if (seconds < 1)
        return std::to_string(milliseconds) + " ms";
    if (seconds < 60)
        return std::to_string(seconds) + '.' + std::to_string(milliseconds % 1'000 / 100) + " s";
    if (seconds < 3'600)
        return two_units(seconds / 60, " min", seconds % 60, " s");
    if (seconds < 86'400)
        return two_units(seconds / 3'600, " h", seconds % 3'600 / 60, " min");
    return two_units(seconds / 86'400, " d", seconds % 86'400 / 3'600, " h");
}

std::string span_cell(nlohmann::json const& object, char const* key)
{
    auto const found = object.find(key);
    return found != object.end() && found->is_number() ? span_text(found->get<std::int64_t>()) : "-";
}

std::int64_t option_span(char const* option, std::string const& text, duration least, duration longest)
{
    try {
        auto const span = parse_duration(text);
        if (span >= least && span <= longest)
            return span / 1ms;
    } catch (invalid_input const& wrong) {
        throw CLI::ValidationError(option, wrong.what() + std::string(", not '") + text + "'");
    }
    auto const bounds = least > duration::zero() ? "from " + format_duration(least) + " to " + format_duration(longest)
                                                 : "at most " + format_duration(longest);
    throw CLI::ValidationError(option, "must be " + bounds + ", not " + text);
}

} // namespace baton::cli
