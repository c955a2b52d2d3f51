#pragma once
// Turns the entries of a crontab(5) file into tasks.

#include "libs/schedule/crontab.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct import_settings {
    std::string project = "default";
    std::string service = "crontab";
    std::string zone;      // for entries without CRON_TZ
    bool disabled = false; // register new tasks as disabled
    bool enable = false;   // also the tasks that are disabled at the server
};

// The task for a crontab's entry. It names a handler of `baton agent --crontab`, which reads the same file. The task
// does not contain the command, which never leaves its machine. The task has the handler's name, after that of the
// service unless it is the default: machines often have crontabs alike, and names are unique in a project. It says
// nothing of `enabled` unless the settings enable tasks, so that a task that a person has disabled stays so.
nlohmann::json task_of(schedule::crontab_entry const& entry, std::string const& origin,
                       import_settings const& settings);

// The description of the tasks of one crontab, by which a later import finds them: the file's full path and this
// machine's name. Another machine may have a file of the same path.
std::string origin_of(std::string const& file);

// True for the description of a task that an earlier version, which named tasks otherwise, imported from this file:
// "line 7 of /etc/crontab", with the path as it was given and without the machine's name.
bool is_former_origin(std::string const& description, std::string const& file);

// The IANA name of this machine's time zone, from TZ, /etc/timezone or /etc/localtime; "UTC" if none of them names one.
std::string host_zone();

} // namespace baton::cli
