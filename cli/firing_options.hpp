#pragma once
// The options of a repeated schedule for the number of its firings and their jitter.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace baton::cli {

struct firing_options {
    std::int64_t most = 0; // 0: not given
    std::string jitter;
};

// `into` must outlive the command.
void add_firing_options(CLI::App& command, firing_options& into);

// Adds the members of the schedule. Throws CLI::ValidationError.
void write_firing_options(nlohmann::json& schedule, firing_options const& chosen);

} // namespace baton::cli
