#pragma once
// Executions as they happen.

#include "cli/table.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace baton::cli {

class rest;

// Finds in looks at a list of executions what has changed since the look before. Pure.
class execution_watch {
public:
    // The executions of a list, the newest first as REST has them, that are new or have another state, attempt or
    // reason, the oldest first. Those that are only planned are left out, unless there is a reason why they wait.
    std::vector<nlohmann::json> changed(std::vector<nlohmann::json> const& list);

    // False if every execution of the list is new, so that there may be others between it and the list before.
    bool joins(std::vector<nlohmann::json> const& list) const;

    // Executions that have not ended and were not in the last list, at most a hundred: to be looked at one by one.
    std::vector<std::string> unseen_open() const;

private:
    std::map<std::string, std::string> known_; // of those that have not ended, and of the last list: as it was told
    std::set<std::string> open_;
    std::set<std::string> last_list_;
};

// One line: time, id, task, state, attempt and reason.
std::string follow_line(nlohmann::json const& execution, times const& at);

// Prints the executions of this list once and then each change, until the process is ended. Looks once a second. If
// more than `limit` are new, it looks at twenty times as many; a line on standard error says if even those may not be
// all.
void follow_executions(rest& web, std::string const& target, std::size_t limit, common_options const& common);

} // namespace baton::cli
