#pragma once

#include "libs/protocol/service_key.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/pause_book.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/term.hpp"

#include <optional>
#include <set>
#include <vector>

namespace baton::trigger {

// May tasks of a service be taken back? Half of its bound must be free, so that tasks do not go to and fro.
bool may_take_back(std::size_t backlog, std::size_t bound);

// Parks overdue tasks whose service has as many open executions as it may have, and takes them back when the service
// has room again. Parked tasks cost the planner nothing. They are a column of the task, so the next master knows them
// too. Part of the planner.
class parked_tasks {
public:
    parked_tasks(planner_settings const& settings, term& term, storage::ledger& ledger, open_set& open)
        : settings_(settings), term_(term), ledger_(ledger), open_(open)
    {}

    // Reads which services have parked tasks, from earlier terms.
    awaitable<void> find_services();

    // The open executions of earlier terms are loaded, so each backlog is known.
    void loaded() { loaded_ = true; }
    // Until then a service with parked tasks has no room, since its backlog was at its bound.
    bool has_room(protocol::service_view service) const { return loaded_ || !services_.contains(service); }

    storage::parked_task make(storage::due_task const& due, protocol::service_view service) const;
    // Because its service is paused.
    static storage::parked_task make(storage::due_task const& due, protocol::service_view service,
                                     protocol::pause const& why);
    awaitable<void> park(std::vector<storage::parked_task> const& tasks);

    // Takes back a page of tasks of each service that has room and is not paused, in order of time, within a bound for
    // all. Returns the earliest instant of those.
    awaitable<std::optional<utc_time>> take_back(pause_book const& paused);

private:
    std::vector<protocol::service_key> in_turn() const;

    planner_settings const& settings_;
    term& term_;
    storage::ledger& ledger_;
    open_set& open_;
    bool loaded_ = false;
    protocol::service_set services_; // have parked tasks
    protocol::service_key last_;     // the service that was looked at last
};

} // namespace baton::trigger
