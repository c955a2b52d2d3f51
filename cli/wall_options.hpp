#pragma once
// The options of `baton task add` for schedules that are read from the clock on the wall.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct wall_options {
    std::string from;
    std::string to;
    std::string days;
    std::string calendar;
    std::string time = "00:00";
    std::string on;
    std::string roll;
};

// --from, --to and --days, which need `every`.
void add_window_options(CLI::App& command, wall_options& chosen, CLI::Option& every);

// --calendar with --time, --on and --roll. `when` is the group of the options of which one is chosen.
void add_calendar_options(CLI::App& command, CLI::App& when, wall_options& chosen);

// The kind `calendar`. Throws CLI::ValidationError.
nlohmann::json calendar_schedule(wall_options const& chosen);

// The kind `window`. Throws CLI::ValidationError.
nlohmann::json window_schedule(wall_options const& chosen, std::int64_t every_ms);

// ["mon", "tue", "wed", "sun"] for "mon-wed,sun". Ranges may go over Sunday.
// Throws CLI::ValidationError, naming the option.
nlohmann::json days_of(std::string const& text, char const* option);

} // namespace baton::cli
