#pragma once
// baton::cli: the `baton` program. One file for each subcommand; each adds itself to the command line. Only this folder
// makes the dependencies of the others: clocks, entropy, databases, sockets, configuration.

#include <CLI/CLI.hpp>

#include <string>

namespace baton::cli {

// Exit status: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted while it waited.
inline constexpr int status_failed = 1;
inline constexpr int status_usage = 2;
inline constexpr int status_interrupted = 130; // as shells have it for SIGINT

// Given before or after any subcommand that talks to a web process.
struct common_options {
    std::string server = "http://127.0.0.1:7801";
    std::string token_file;
    bool json = false;
    bool utc = false; // times in UTC instead of the zone of this machine
};

// `status` becomes the exit status of the program.
void add_trigger(CLI::App& program, int& status);
void add_web(CLI::App& program, int& status);
void add_agent(CLI::App& program, int& status);
void add_dev(CLI::App& program, int& status);
void add_migrate(CLI::App& program, int& status);
void add_task(CLI::App& program, common_options const& common, int& status);
void add_task_add(CLI::App& task, common_options const& common);
void add_task_list(CLI::App& task, common_options const& common);
void add_task_skip_next(CLI::App& task, common_options const& common);
void add_task_skipped(CLI::App& task, common_options const& common);
void add_task_changes(CLI::App& task, common_options const& common, int& status); // edit, history
void add_task_import(CLI::App& task, common_options const& common, int& status);
void add_executions(CLI::App& program, common_options const& common, int& status);
void add_dead_letters(CLI::App& program, common_options const& common, int& status);
void add_calendars(CLI::App& program, common_options const& common, int& status);
void add_nodes(CLI::App& program, common_options const& common);
void add_overview(CLI::App& program, common_options const& common);
void add_terms(CLI::App& program, common_options const& common);
void add_zones(CLI::App& program, common_options const& common);
void add_services(CLI::App& program, common_options const& common);                                // and projects
void add_service_handlers(CLI::App& group, common_options const& common);                          // of `services`
void add_service_settings(CLI::App& group, std::string const& noun, common_options const& common); // of `services`
void add_clients(CLI::App& program, common_options const& common);
void add_cron(CLI::App& program, common_options const& common);
void add_schedule(CLI::App& program, common_options const& common);

} // namespace baton::cli
