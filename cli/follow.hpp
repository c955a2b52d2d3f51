#pragma once
// Executions as they happen.

#include "cli/table.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace baton::cli {

class rest;

// The part of a list of executions, the newest first, that each look reads: from the newest to the place where the
// `limit`-th of the look before was. So it has all that are new since then. Pure.
class follow_window {
public:
    explicit follow_window(std::size_t limit) : limit_(limit) {}

    // True if the list, which is not at its end yet, must be read on.
    bool needs_more(std::vector<nlohmann::json> const& list) const;
    // Cuts off what is before the window, and sets the window of the next look.
    void take(std::vector<nlohmann::json>& list);

private:
    using place = std::tuple<std::string, std::size_t, std::string>; // time, and the id with its length: a number

    static place place_of(nlohmann::json const& execution);

    std::size_t limit_;
    bool first_ = true;
    std::optional<place> begin_; // none: the list had fewer than `limit`
};

// Finds in looks at a list of executions what has changed since the look before. Pure.
class execution_watch {
public:
    // The executions of a list, the newest first as REST has them, that are new or have another state, attempt or
    // reason, the oldest first. Those that are only planned are left out, unless there is a reason why they wait.
    std::vector<nlohmann::json> changed(std::vector<nlohmann::json> const& list);

    // Executions that have not ended and are not in this list, to be looked at one by one. At most a hundred, the next
    // ones with each call.
    std::vector<std::string> unseen_open(std::vector<nlohmann::json> const& list);

    // The execution exists no more.
    void forget(std::string const& id) { open_.erase(id); }

private:
    std::map<std::string, std::string> known_; // of those that have not ended, and of the last list: as it was told
    std::set<std::string> open_;
    std::string last_asked_;
};

// One line: time, id, task, state, attempt and reason.
std::string follow_line(nlohmann::json const& execution, times const& at);

// Prints the executions of this list once and then each change, until the process is ended. Looks once a second. After
// the first look it waits while the server does not answer.
void follow_executions(rest& web, std::string const& target, std::size_t limit, common_options const& common);

} // namespace baton::cli
