#pragma once
// The options of a named calendar's content, and of a task for the calendars that it uses.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

struct calendar_options {
    std::string zone = "UTC";
    std::string description;
    std::vector<std::string> dates;
    std::vector<std::string> yearly;
    std::vector<std::string> weekly;
};

// `into` must outlive the command.
void add_calendar_content_options(CLI::App& command, calendar_options& into);

// The members of the calendar. Throws CLI::ValidationError.
nlohmann::json calendar_of(calendar_options const& chosen);

struct calendar_uses {
    std::vector<std::string> exclude;
    std::vector<std::string> allow;
};

// --exclude and --allow. `into` must outlive the command.
void add_calendar_use_options(CLI::App& command, calendar_uses& into);

// Adds the member "calendars" of the schedule, if any is chosen. Throws CLI::ValidationError.
void write_calendar_uses(nlohmann::json& schedule, calendar_uses const& chosen);

} // namespace baton::cli
