#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/signals.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace baton::trigger {

// Reads the signals of the web (edits, runs, cancellations, pauses): at once when told, and a few times a second
// anyway. It has a session of its own, so that no other statement delays it, and it awaits nothing but that session.
//
// After a reading that found no further signal, the master may fire what is due up to half of edit_lead after the
// reading began. An edit is announced by a signal of its own, which is committed within the first half of its lead. So
// a firing that the edit takes back cannot go out before this master has read of the edit, and it waits until the edit
// is there or is given up, however long its commit takes. Part of a term.
class signal_reader {
public:
    // The effects of signals on the other parts of the term. None of these waits.
    struct actions {
        std::function<void(storage::open_execution_row const&, open_set::reading const&)> load;
        std::function<void(execution_id)> ended; // also for a firing that an edit took back
        std::function<void(std::vector<execution_id> const&)> cancel;
        std::function<void(utc_time)> may_fire_until;
        std::function<void()> replan;
        // The pauses of the ledger, as a reading has them that began at `asked`.
        std::function<void(std::vector<protocol::pause> const&, instant asked)> pauses{};
        // Likewise the settings of services and projects.
        std::function<void(std::vector<protocol::scope_settings> const&, instant asked)> settings{};
        // True for a task whose waiting executions follow an edit of it; then its present version is read.
        std::function<bool(task_id)> follows_edits{};
        std::function<void(storage::defined_task const&)> edited{};
    };
    struct databases {
        storage::database& own; // a session that nothing else uses
        storage::database& shared;
    };
    signal_reader(planner_settings settings, term_scope const& scope, databases use, actions given)
        : settings_(settings),
          scope_(scope),
          table_(use.own, scope.term.name_space),
          all_(use.shared, scope.term.name_space),
          ledger_(use.own, use.own, scope.term.name_space),
          actions_(std::move(given)),
          bell_(scope.loop)
    {}

    // Records this node's edit_lead for the web processes. Call it before run().
    awaitable<void> agree_on_lead();

    awaitable<void> run();
    void wake() { bell_.wake(); }

private:
    // The signals of one reading.
    struct batch {
        std::map<task_id, utc_time> edited; // and when: of several edits the first
        std::vector<execution_id> runs;
        std::vector<execution_id> cancelled;
        std::vector<signal_id> done;
        std::set<signal_id> announced; // edits
        bool pauses = false;           // a pause has begun or ended
        bool settings = false;         // those of a service or project were changed
    };
    batch sort(std::vector<storage::signal_record> const& found);

    duration lead();
    awaitable<void> read();
    awaitable<void> give_up();
    awaitable<void> look_behind();
    utc_time floor() const;
    awaitable<bool> round(); // true: there may be more
    awaitable<void> drop_taken_back(std::map<task_id, utc_time> const& edited);
    awaitable<void> learn_edits(std::map<task_id, utc_time> const& edited);
    awaitable<void> learn_pauses();
    awaitable<void> learn_settings();
    awaitable<void> load(std::vector<execution_id> const& runs);

    planner_settings settings_;
    term_scope scope_;
    storage::signals table_;
    storage::signals all_;   // for the look behind
    storage::ledger ledger_; // to read, on the same session
    actions actions_;
    waker bell_;
    std::vector<storage::signal_record> late_; // what the readings had passed
    bool first_ = true;                        // no reading of this term was complete
    instant look_behind_at_{};
    duration former_lead_{}; // of the last master
    instant agreed_at_{};
};

} // namespace baton::trigger
