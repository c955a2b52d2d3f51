#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/service_key.hpp"

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace baton::trigger {

// The broadcasts that are due and have no shards yet, in lines: those of one line need the same clients, and so one
// look at the clients is enough for all of them. Without clock and I/O.
class unsplit_broadcasts {
public:
    struct need {
        protocol::service_key service;
        std::string demand; // protocol::demand_for; empty: no client in particular
        auto operator<=>(need const&) const = default;
    };
    using is_met = std::function<bool(need const&)>;

    void add(need const& needed, execution_id id) { lines_[needed].waiting.push_back(id); }

    // The first broadcast of the next line whose need is met, line after line. A line whose need is not met is not
    // looked at again before a while has passed.
    std::optional<execution_id> next(instant now, is_met const& met);
    // Removes the broadcast that next() returned last. Without this call next() may return it again.
    void done();
    // When next() may find one, if more is to do.
    std::optional<instant> look_at(instant now) const;
    bool empty() const { return lines_.empty(); }

private:
    struct line {
        std::deque<execution_id> waiting;
        instant not_before{};
    };
    std::map<need, line> lines_;
    need last_{}; // the line that had its turn
};

} // namespace baton::trigger
