#pragma once
// Settings of delivery to clients and of the results that they report.

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"

#include <cstddef>

namespace baton::trigger {

struct dispatcher_settings {
    std::size_t group = 500;           // executions in a request
    std::size_t queue_limit = 100'000; // executions that a slave holds for its clients
    duration assign_limit = 2s;        // for a request from master to slave
    duration dispatch_limit = 5s;      // for a request from slave to client
    duration doubt_after = 10s;        // without a report for this time, an assignment is repeated
    duration retry_pause = 100ms;      // before a client that was busy or could not be reached is tried again

    void check(setting_check& all) const;
};

struct results_settings {
    std::size_t group = 2'000;        // results a transaction
    std::size_t queue_limit = 20'000; // waiting for the database; beyond it clients get 503 and keep their results
    duration pause = 3ms;             // from the start of a transaction to that of the next, so that groups are larger

    void check(setting_check& all) const;
};

} // namespace baton::trigger
