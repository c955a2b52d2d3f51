#include "cli/misfire_options.hpp"

#include "cli/span.hpp"
#include "libs/protocol/misfire.hpp"
#include "libs/protocol/task.hpp"

#include <vector>

namespace baton::cli {

namespace {

std::vector<std::string> actions()
{
    auto const& names = protocol::names_of<protocol::misfire_action>;
    return {names.begin(), names.end()};
}

} // namespace

void add_misfire_options(CLI::App& command, misfire_options& into)
{
    auto* const action =
        command
            .add_option("--misfire", into.action,
                        "Which late firings run: fire_once: the latest that is due (default); fire_all: the latest "
                        "--misfire-limit of the last --misfire-within; skip: none. The others are recorded as skipped")
            ->check(CLI::IsMember(actions()));
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
        misfire["after_ms"] = option_span("--misfire-after", chosen.after, 0ms, protocol::longest_misfire_after);
    bool const bounded = chosen.limit != 0 || !chosen.within.empty();
    if (bounded && chosen.action != to_string(protocol::misfire_action::fire_all))
        throw CLI::ValidationError("--misfire", "--misfire-limit and --misfire-within need --misfire fire_all");
    if (chosen.limit != 0)
        misfire["limit"] = chosen.limit;
    if (!chosen.within.empty())
        misfire["within_ms"] = option_span("--misfire-within", chosen.within, 0ms, protocol::longest_span);
    return misfire;
}

} // namespace baton::cli
