#pragma once
// The report of --check and --check-database.

#include "cli/config/documents.hpp"

#include <string>
#include <vector>

namespace baton::cli {

// Prints "ok" and what was checked: the listener and the database's address, and with `try_it` the database itself.
// `file` may be empty: the configuration came from variables. Throws as try_database does. Blocks.
void report_check(std::string const& file, trigger_config const& config, bool try_it);
void report_check(std::string const& file, web_config const& config, bool try_it);
// Of dev: the ports, the folder and the number of the agent's handlers.
void report_check(std::string const& file, dev_config const& config, std::size_t handlers);

// Name the variables that the configuration was taken from, if any: as the last line of --check, or in the log at the
// start. A variable that was exported for another command overrides the file without a word else.
void report_taken(std::vector<std::string> const& taken);
void log_taken(std::vector<std::string> const& taken);

} // namespace baton::cli
