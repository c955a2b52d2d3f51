#pragma once
// The options of `baton task add` for the limits of a whole execution.

#include "cli/commands.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct limit_options {
    std::string start_within; // a span; empty: no limit
    std::string late_start;
    std::string total;
};

void add_limit_options(CLI::App& command, limit_options& into);

// The member "limits" of the task; empty if no option was given.
nlohmann::json limits_of(limit_options const& chosen);

} // namespace baton::cli
