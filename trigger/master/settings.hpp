#pragma once
// Settings of a term of mastership.

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"
#include "trigger/clients/settings.hpp"
#include "trigger/delivery/settings.hpp"

#include <cstddef>

namespace baton::trigger {

struct planner_settings {
    duration look_ahead = 5s;              // how far ahead firings are planned
    duration poll = 200ms;                 // between readings of the signals
    duration edit_lead = 1s;               // from an edit to the first firing that follows it
    std::size_t page = 500;                // tasks in a transaction
    std::size_t firings_of_a_task = 1'000; // of one task in a transaction; a task that is far behind takes several
    std::size_t open_limit = 1'000'000;    // executions that all services share (quota.hpp)
    std::size_t overdue_limit = 200'000; // of one service, planned or due, that no client has; above it its tasks wait
    duration sweep = 1s;                 // between comparisons of open rows with memory

    void check(setting_check& all) const;
};

// The master deletes executions that ended long ago, in pieces.
struct retention_settings {
    duration keep = 24h * 30; // after an execution was due and has ended; 0: for ever
    std::size_t piece = 500;  // rows in a transaction, at most
    int share = 10;           // percent of the time

    void check(setting_check& all) const;
};

// The zone database, which a package of the system may replace at any time.
struct zone_settings {
    duration period = 30s; // between looks at its files, and between looks for tasks that another database has planned
    duration lead = 30s;   // from the adoption of a changed one to its line, beyond what is planned

    void check(setting_check& all) const;
};

// The settings that the parts of one term use.
struct master_settings {
    planner_settings planner;
    dispatcher_settings dispatcher;
    client_settings clients;
    retention_settings retention;
    zone_settings zones;
    duration room = duration::max(); // for an act of the master: room_for_acts()
};

} // namespace baton::trigger
