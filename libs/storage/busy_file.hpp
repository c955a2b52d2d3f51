#pragma once
// How a SQLite session waits for a file that another writes. SQLite's own way is to look at it at fixed moments, soon
// each tenth of a second: of two that write without a pause, one then hardly ever meets the file free, though it is so
// hundreds of times.

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

    // Whether to look again, after a pause; `looks` before this one.
    bool pause(int looks);

private:
    duration limit_;
    time_source const& time_;
    seeded_random chance_;
    instant began_{};
};

} // namespace baton::storage
