#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "libs/storage/zones.hpp"

#include <string>

namespace baton::web {

// Makes this process compute by the zone database by which the master plans, from the same line on, as soon as this
// machine has it. With another one the site computes by its own, and the master corrects the tasks that it saves.
class zone_follower {
public:
    zone_follower(storage::zones table, time_source& time, duration period)
        : table_(std::move(table)), time_(time), period_(period)
    {}

    awaitable<void> run();

private:
    awaitable<void> look();

    storage::zones table_;
    time_source& time_;
    duration period_;
    std::string told_; // the other database that the log has named
};

} // namespace baton::web
