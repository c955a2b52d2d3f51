#pragma once
// The options of a task's misfire policy.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct misfire_options {
    std::string action;
    std::string after;
    std::string within;
    int limit = 0;
};

// `into` must outlive the command.
void add_misfire_options(CLI::App& command, misfire_options& into);

// The member "misfire" of the task's document; null if no option was given. Throws CLI::ValidationError.
nlohmann::json misfire_of(misfire_options const& chosen);

} // namespace baton::cli
