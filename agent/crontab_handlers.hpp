#pragma once

#include "agent/settings.hpp"

#include <string>
#include <vector>

namespace baton::agent {

// A handler that runs one command of a crontab.
struct crontab_handler {
    std::string name;  // of the handler in the task that `baton task import` makes
    command program;   // /bin/sh -c '...', as cron runs it
    std::string input; // for the command's standard input
    std::string file;
    int line = 0; // of the file
};

// The entries of a crontab(5) file as handlers. Skips lines that cannot be read, with a warning. Throws invalid_input
// (field "crontab") if the file cannot be read, or if cron would refuse it for its owner or mode (crontab_file.hpp).
// The entries of a user's crontab run as the user whose file it is.
std::vector<crontab_handler> read_crontab(std::string const& file);

} // namespace baton::agent
