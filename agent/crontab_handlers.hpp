#pragma once

#include "agent/settings.hpp"

#include <string>
#include <vector>

namespace baton::agent {

struct crontab_handler {
    std::string name; // as `baton task import` names the task's handler
    command what;     // /bin/sh -c '...', as cron would run it
    std::string input;
};

// The lines of a crontab(5) file as handlers; lines that cannot be read are logged and left out. Throws invalid_input
// (field "crontab") when the file cannot be read.
std::vector<crontab_handler> read_crontab(std::string const& file);

} // namespace baton::agent
