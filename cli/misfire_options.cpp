#include "cli/misfire_options.hpp"

#include "cli/config/duration.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/misfire.hpp"

namespace baton::cli {

namespace {

std::int64_t milliseconds(char const* option, std::string const& text, duration longest)
{
    try {
        auto const span = parse_duration(text);
        if (span > longest)
            throw CLI::ValidationError(option, "must be at most " + format_duration(longest) + ", not " + text);
        return span / std::chrono::milliseconds{1};
    } catch (invalid_input const& wrong) {
        throw CLI::ValidationError(option, wrong.what());
    }
}

} // namespace

void add_misfire_options(CLI::App& command, misfire_options& into)
{
    auto* const action =
        command
            .add_option("--misfire", into.action,
                        "Which late firings run: fire_once: the latest that is due (default); fire_all: the latest "
                        "--misfire-limit of the last --misfire-within; skip: none. The others are recorded as skipped")
            ->check(CLI::IsMember({"fire_once", "fire_all", "skip"}));
    command.add_option("--misfire-after", into.after, "A firing is late after this span; 60s without this option");
    command.add_option("--misfire-limit", into.limit, "Of --misfire fire_all; 100 without this option")
        ->check(CLI::Range(1, protocol::most_fire_all))
        ->needs(action);
    command.add_option("--misfire-within", into.within, "Of --misfire fire_all, such as 1h; no bound without it")
        ->needs(action);
}

nlohmann::json misfire_of(misfire_options const& chosen)
{
    nlohmann::json misfire;
    if (!chosen.action.empty())
        misfire["action"] = chosen.action;
    if (!chosen.after.empty())
        misfire["after_ms"] = milliseconds("--misfire-after", chosen.after, protocol::longest_misfire_after);
    bool const bounded = chosen.limit != 0 || !chosen.within.empty();
    if (bounded && chosen.action != "fire_all")
        throw CLI::ValidationError("--misfire", "--misfire-limit and --misfire-within need --misfire fire_all");
    if (chosen.limit != 0)
        misfire["limit"] = chosen.limit;
    if (!chosen.within.empty())
        misfire["within_ms"] = milliseconds("--misfire-within", chosen.within, 366 * std::chrono::hours{24});
    return misfire;
}

} // namespace baton::cli
