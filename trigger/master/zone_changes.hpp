#pragma once

#include "libs/schedule/plan.hpp"
#include "libs/schedule/zones.hpp"
#include "libs/storage/zones.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/zone_history.hpp"

#include <map>
#include <optional>
#include <string>

namespace baton::trigger {

// Makes the zone database of this node the cluster's: at the beginning of a term if it is another one than that of the
// last master, and when the files of this machine change. The database is recorded with a line that lies ahead of all
// that is planned. From then on this process reads the zones that change by the old rules for instants before the line,
// and by the new ones from the line on. The next firings of the tasks that read such a zone are computed anew, page by
// page in fenced transactions; so are those of tasks that a web with another database has saved. Part of a term.
//
// Does nothing in a process that watches no zone files (a simulation).
class zone_changes {
public:
    struct parts {
        storage::zones table;
        membership& nodes;
        task_book& book;
        planner& plan;
    };
    zone_changes(master_settings const& settings, term_scope const& scope, parts given);

    awaitable<void> run();

private:
    awaitable<void> look();
    awaitable<void> read_history();
    awaitable<void> adopt(schedule::zone_database_pointer newest);
    awaitable<void> use(schedule::zone_database_pointer newest);
    awaitable<void> follow();
    awaitable<int> page();
    storage::zone_move move_of(storage::zoned_task const& task, std::optional<utc_time>& first);
    void tell(storage::zone_version const& next) const;
    void note_others(std::string const& version);

    zone_settings settings_;
    duration look_ahead_;
    term_scope scope_;
    parts parts_;
    std::optional<zone_history> history_;             // the latest first; absent until it is read
    std::map<std::string, std::string> fingerprints_; // of the latest
    int used_ = 0;                                    // the version by which this term computes
    bool behind_ = true;                              // tasks may be left that have to follow
    instant next_follow_{};
    std::map<std::string, std::string> told_; // the other databases of nodes that the log has named, by incarnation
};

} // namespace baton::trigger
