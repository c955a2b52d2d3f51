#pragma once
// The options for a cron expression: its dialect, its policies for clock changes, the seed of its hashed values.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace baton::cli {

struct cron_options {
    std::string dialect;
    std::string gap;
    std::string overlap;
    std::int64_t hash_seed = -1; // -1: not given
};

// --dialect, --gap, --overlap and --hash-seed. `cron` is the option that the dialect and the seed need, or null.
void add_cron_options(CLI::App& command, cron_options& chosen, CLI::Option* cron);

// Adds the chosen members to a schedule.
void write_cron_options(nlohmann::json& schedule, cron_options const& chosen);

} // namespace baton::cli
