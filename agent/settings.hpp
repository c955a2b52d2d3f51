#pragma once

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"

#include <baton/client/handler_info.hpp>
#include <baton/client/options.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace baton::agent {

// A program to run. It comes from the agent's own configuration or from a crontab that the agent reads, never from the
// network.
struct command {
    std::vector<std::string> argv{};          // argv[0] with a slash is a path, otherwise PATH is searched
    std::string cwd{};                        // empty: the agent's
    std::map<std::string, std::string> env{}; // overrides the inherited environment, which lacks secrets
    std::string user{};                       // empty: the agent's; any other needs root
    // Start from cron's environment (HOME, LOGNAME, SHELL, PATH) instead of the agent's own, in the user's home, or in
    // the folder that `env` names as HOME.
    bool as_cron = false;
    client::handler_info about{}; // its description and payload schema, for people
};

struct settings {
    client::service_options service;
    std::map<std::string, command> handlers;
    std::vector<std::string> crontabs;    // files whose lines are handlers too
    bool execute = false;                 // run a crontab's commands; otherwise only log them
    duration kill_after = 10s;            // from SIGTERM to SIGKILL
    std::size_t output_limit = 64u << 10; // bytes kept of each of standard output and standard error: head and tail

    void check(setting_check& all) const;
};

} // namespace baton::agent
