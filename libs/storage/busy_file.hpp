#pragma once
// Waiting for a SQLite file that another session writes. SQLite itself polls at fixed intervals, soon only each tenth
// of a second, so of two sessions that write without a pause one rarely finds the file free. This polls often and at
// random.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

namespace soci {
class session;
}

namespace baton::storage {

class busy_file {
public:
    // Waits for up to `limit` at a time. Must outlive the session.
    busy_file(soci::session& session, duration limit, time_source const& time);

    // Pauses and returns true, or returns false after the limit. `looks`: the earlier polls of this wait.
    bool pause(int looks);

private:
    duration limit_;
    time_source const& time_;
    seeded_random chance_;
    instant began_{};
};

} // namespace baton::storage
