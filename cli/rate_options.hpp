#pragma once
// The options for a limit of attempts in time, of a task, a service or a project.

#include "cli/commands.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct rate_options {
    std::string rate; // "100/1m", "none", or empty: not given
    int burst = 0;    // 0: not given
};

// `whose`: "the task", for the help.
void add_rate_options(CLI::App& command, rate_options& into, std::string const& whose);

// The member "rate"; null if no option was given. Throws CLI::ValidationError.
nlohmann::json rate_of(rate_options const& chosen);

// "100/1m, burst 51"; "-" without a limit.
std::string rate_text(nlohmann::json const& rate);

} // namespace baton::cli
