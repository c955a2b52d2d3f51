#pragma once
// Reads the file of `baton task import`.

#include "cli/crontab_tasks.hpp"
#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

struct import_task {
    nlohmann::json definition;
    int line = 0; // of a crontab
    bool disabled_when_new = false;
};

struct import_input {
    std::vector<import_task> tasks;
    std::vector<std::string> problems; // lines that cannot be read
    std::string warning;               // about the whole file
    std::vector<int> timeless;         // lines with @reboot, which can be no tasks
    std::string file;                  // as it was given
    std::string origin;                // of a crontab, see origin_of
};

// Reads the file as JSON if it looks like that, and else as a crontab; `form` is user, system or guess. Throws
// config_error if the file cannot be read.
import_input read_import(std::string const& file, std::string const& form, import_settings settings);

} // namespace baton::cli
