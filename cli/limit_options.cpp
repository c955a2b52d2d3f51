#include "cli/limit_options.hpp"

#include "cli/span.hpp"
#include "libs/protocol/task.hpp"

namespace baton::cli {

void add_limit_options(CLI::App& command, limit_options& into)
{
    auto const& names = protocol::names_of<protocol::late_start>;
    auto* const start = command.add_option("--start-within", into.start_within,
                                           "Limit from the instant at which an execution is due until a client has it, "
                                           "such as 10m");
    command
        .add_option("--late-start", into.late_start,
                    "With --start-within, what becomes of an execution that no client had by then: skip (default) or "
                    "fail")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->needs(start);
    command.add_option("--total", into.total,
                       "Limit for the whole execution, from the instant at which it is due and over all attempts");
}

nlohmann::json limits_of(limit_options const& chosen)
{
    auto limits = nlohmann::json::object();
    if (!chosen.start_within.empty())
        limits["start_within_ms"] = option_span("--start-within", chosen.start_within, 0ms, protocol::longest_span);
    if (!chosen.late_start.empty())
        limits["late_start"] = chosen.late_start;
    if (!chosen.total.empty())
        limits["total_ms"] = option_span("--total", chosen.total, 0ms, protocol::longest_span);
    return limits;
}

} // namespace baton::cli
