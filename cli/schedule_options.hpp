#pragma once
// The options that say when a task is due, for the commands that take a whole schedule.

#include "cli/calendar_options.hpp"
#include "cli/cron_options.hpp"
#include "cli/firing_options.hpp"
#include "cli/wall_options.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct schedule_options {
    std::string cron;
    cron_options expression;
    std::string zone;
    std::string every;
    wall_options wall;
    std::string delay;
    std::string at;
    std::string in;
    std::string after;
    std::string start_at;
    std::string end_at;
    firing_options firing;
    calendar_uses calendars;
};

// `into` must outlive the command.
void add_schedule_options(CLI::App& command, schedule_options& into);

// The member "schedule" of a task's definition. Throws CLI::ValidationError.
nlohmann::json schedule_of(schedule_options const& chosen);

} // namespace baton::cli
