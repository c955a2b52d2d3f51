#include "cli/firing_options.hpp"

#include "cli/span.hpp"
#include "libs/protocol/firing_rules.hpp"

namespace baton::cli {

void add_firing_options(CLI::App& command, firing_options& into)
{
    command
        .add_option("--max-firings", into.most,
                    "Maximum number of firings, counted from when it is set; skipped firings do not count")
        ->check(CLI::Range(std::int64_t{1}, protocol::most_firings));
    command.add_option(
        "--jitter", into.jitter,
        "Longest delay of a firing, such as 5m. Each firing is delayed by a part of it, which is always the same "
        "for the same task and time");
}

void write_firing_options(nlohmann::json& schedule, firing_options const& chosen)
{
    bool const repeated =
        schedule.at("kind") != "api" && schedule.at("kind") != "once" && schedule.at("kind") != "after";
    if (chosen.most != 0 && !repeated)
        throw CLI::ValidationError("--max-firings", "needs a schedule that fires again and again, such as --cron");
    if (!chosen.jitter.empty() && !repeated)
        throw CLI::ValidationError("--jitter", "needs a schedule that fires again and again, such as --cron");
    if (chosen.most != 0)
        schedule["max_firings"] = chosen.most;
    if (!chosen.jitter.empty())
        schedule["jitter_ms"] = option_span("--jitter", chosen.jitter, 1ms, protocol::longest_jitter);
}

} // namespace baton::cli
