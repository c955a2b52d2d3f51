#pragma once

#include "libs/protocol/pause.hpp"
#include "libs/protocol/service_key.hpp"

#include <vector>

namespace baton::trigger {

// The pauses that a master knows: those in force, and those that have ended lately. Without clock and I/O.
class pause_book {
public:
    pause_book() = default;
    explicit pause_book(std::vector<protocol::pause> const& all);

    bool empty() const { return by_service_.empty(); }
    // The pause of the service, or else of its project; null if neither is paused.
    protocol::pause const* in_force(protocol::service_view service) const;
    // The pause by which a firing of this instant is skipped, in force or not; null if there is none.
    protocol::pause const* skips(protocol::service_view service, utc_time at) const;

private:
    template <class Match>
    protocol::pause const* find(protocol::service_view service, Match match) const;

    protocol::service_table<std::vector<protocol::pause>> by_service_; // an empty service: of the project
};

inline pause_book const no_pauses;

} // namespace baton::trigger
