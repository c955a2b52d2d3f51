#pragma once

#include "agent/settings.hpp"

#include <string>
#include <vector>

namespace baton::agent {

struct check_result {
    std::size_t handlers = 0;
    std::vector<std::string> problems; // each names the handler or the line, the reason and the remedy
};

// Finds the commands that cannot start on this machine: the user or the working directory does not exist, or the
// program with an absolute path does not exist or cannot be executed. The words of a shell's command are not looked at.
// Throws invalid_input when a crontab cannot be read.
check_result check(settings const& chosen);

} // namespace baton::agent
