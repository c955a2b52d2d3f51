#pragma once
// The options of a task's concurrency limit.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct concurrency_options {
    int limit = 0; // 0: not given
    std::string when_full;
    int queue = -1; // negative: not given
    std::string key;
};

// `into` must outlive the command.
void add_concurrency_options(CLI::App& command, concurrency_options& into);

// The member "concurrency" of the task's document; null if no option was given. Throws CLI::ValidationError.
nlohmann::json concurrency_of(concurrency_options const& chosen);

} // namespace baton::cli
