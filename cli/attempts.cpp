#include "cli/attempts.hpp"

#include "cli/table.hpp"

#include <algorithm>

namespace baton::cli {

std::string attempts_text(nlohmann::json const& execution)
{
    auto const attempt = execution.value("attempt", 1);
    auto const deaths = execution.value("deaths", 0);
    // A lost attempt adds one to both numbers, but the death that ends an execution is followed by no attempt.
    auto const replaced = std::min(deaths, attempt - 1);
    auto const text =
        std::to_string(attempt - replaced) + "/" + std::to_string(execution.value("max_attempts", 1) - replaced);
    return deaths == 0 ? text : text + " (" + std::to_string(deaths) + (deaths == 1 ? " death)" : " deaths)");
}

std::string outcome_text(nlohmann::json const& attempt, bool is_last)
{
    auto const outcome = cell(attempt, "outcome");
    return outcome == "-" && !is_last ? "lost" : outcome;
}

} // namespace baton::cli
