#pragma once

#include "libs/protocol/service_key.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/settings.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace baton::trigger {

// The most executions that one service may have open and not with a client, while all services together have `open`:
// its own limit, and never more than a quarter of the room that is left (A. Choudhury, E. Hahne: Dynamic Queue Length
// Thresholds for Shared-Memory Packet Switches, 1998). A packet leaves its queue some day, an execution of a service
// without clients does not, and many such services would leave little. So a hundredth of open_limit is every service's
// own, even if open_limit is exceeded.
std::size_t backlog_bound(planner_settings const& settings, std::size_t open);

// True if more executions of the service are open and not with a client than may be.
bool is_over_bound(planner_settings const& settings, open_set const& open, protocol::service_view service);

// Why an execution of such a service is skipped.
std::string reason_at_bound(std::string const& service);

// The room that services have for further firings while a page is planned, of which the open set does not know yet.
class page_room {
public:
    // Each service may use one part of so many parts of its bound.
    page_room(planner_settings const& settings, open_set const& open, std::size_t parts = 1)
        : settings_(settings), open_(open), parts_(parts)
    {}

    std::size_t left(protocol::service_view service) const;
    void take(protocol::service_view service, std::size_t executions);

private:
    planner_settings const& settings_;
    open_set const& open_;
    std::size_t parts_;
    protocol::service_map<std::size_t> taken_;
    std::size_t all_taken_ = 0;
};

} // namespace baton::trigger
