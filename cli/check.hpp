#pragma once
// The report of --check and --check-database.

#include "cli/config/documents.hpp"

#include <string>

namespace baton::cli {

// Prints "ok" and what was checked: the listener and the database's address, and with `try_it` the database itself.
// `file` may be empty: the configuration came from variables. Throws as try_database does. Blocks.
void report_check(std::string const& file, trigger_config const& config, bool try_it);
void report_check(std::string const& file, web_config const& config, bool try_it);

} // namespace baton::cli
