#pragma once

#include "trigger/delivery/client_lane.hpp"

#include <string>

namespace baton::trigger {

// Takes down which of this node's clients can be called. On the loop only.
class reach_record {
public:
    // How this node reaches a client of its own; `cause` if it does not. Cheap if it is no news.
    virtual void found(lane_client const& who, protocol::reach state, std::string const& cause) = 0;
    // It is not a client of this node any more.
    virtual void forget(std::string const& instance) = 0;

protected:
    ~reach_record() = default;
};

} // namespace baton::trigger
