#pragma once
// Makes the server's tasks those of a file.

#include "cli/import_input.hpp"
#include "cli/import_plan.hpp"
#include "cli/rest.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

struct import_mode {
    bool update = false;  // change tasks that differ from the file
    bool prune = false;   // disable tasks whose line is gone
    bool dry_run = false; // change nothing
    bool allow_unserved = false;
};

// Takes the tasks of a file one after the other. Its report has an array for each fate of a task, and `said` has a line
// for each task of which a person should hear. Failures are in `refused`, so that the report of the changes is not
// lost.
class importer {
public:
    importer(rest& web, import_mode mode) : web_(web), mode_(mode) {}

    // All tasks of a file, and then those of the same crontab that have no line any more. Stops early, and returns
    // false, if the server does not answer.
    bool take_all(import_input const& input, import_settings const& settings);

    nlohmann::json report() const;
    std::string summary() const;
    std::vector<std::string> const& said() const { return said_; }
    std::vector<std::string> const& refused() const { return refused_; }
    bool complete() const { return refused_.empty() && (differ_.empty() || mode_.dry_run); }

private:
    bool take(import_task const& task);
    bool take_file(import_input const& input, import_settings const& settings);
    bool may_prune(import_input const& input, bool any);
    bool take_removed(import_input const& input, import_settings const& settings);
    bool refuse(std::string const& label, std::exception const& failure);
    void register_new(import_task const& task);
    void check_served(nlohmann::json const& task);
    void note_policies(import_task const& task, nlohmann::json const& saved);
    void note_disabled(import_task const& task, nlohmann::json const& registered);
    void compare(import_task const& task, nlohmann::json const& registered);
    void disable(nlohmann::json const& task, bool act);
    void say(std::string const& fate, std::string const& name, int line, std::string const& more = {});

    rest& web_;
    import_mode mode_;
    std::optional<handlers_by_service> live_; // asked for once, by a dry run
    nlohmann::json registered_ = nlohmann::json::array();
    nlohmann::json updated_ = nlohmann::json::array();
    nlohmann::json differ_ = nlohmann::json::array();
    nlohmann::json removed_ = nlohmann::json::array();
    nlohmann::json notes_ = nlohmann::json::array();
    nlohmann::json stay_disabled_ = nlohmann::json::array();
    nlohmann::json timeless_ = nlohmann::json::array();
    int already_ = 0;
    std::size_t disabled_ = 0;
    std::size_t not_pruned_ = 0; // files that do not show which lines are gone; `refused` has a reason for each
    std::vector<std::string> refused_;
    std::vector<std::string> said_;
};

} // namespace baton::cli
