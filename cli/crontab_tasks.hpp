#pragma once

#include "libs/schedule/crontab.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct import_settings {
    std::string project = "default";
    std::string service = "crontab";
    std::string zone; // for entries without CRON_TZ
    bool disabled = false;
};

// The task that a crontab's entry becomes. It names a handler of `baton agent --crontab`, which reads the same file;
// the command itself is not in it and never leaves that machine.
nlohmann::json task_of(schedule::crontab_entry const& entry, std::string const& source, import_settings const& how);

// The IANA name of this machine's time zone, from TZ, /etc/timezone or /etc/localtime; "UTC" when none tells.
std::string host_zone();

} // namespace baton::cli
