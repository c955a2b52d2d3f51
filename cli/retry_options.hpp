#pragma once
// The options of a task's retries.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

struct retry_options {
    std::string backoff;
    std::string longest;
    int jitter = -1; // percent; negative: not given
    std::vector<std::string> final_errors;
    std::string on;
};

// `into` must outlive the command.
void add_retry_options(CLI::App& command, retry_options& into);

// The member "retry" of the task's document; null if no option was given. Throws CLI::ValidationError.
nlohmann::json retry_of(retry_options const& chosen);

} // namespace baton::cli
