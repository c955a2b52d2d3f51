#pragma once

#include "libs/protocol/term_id.hpp"

#include <string>

namespace baton::trigger {

// Takes the epochs that nodes and clients name when they refuse a message. On the loop only.
class epoch_claims {
public:
    // Proves nothing. A higher epoch of this node's namespace than the known one makes the election read the lock row.
    // `refuser` names the node or client in the log.
    virtual void refused_by(protocol::term_id term, std::string const& refuser) = 0;

protected:
    ~epoch_claims() = default;
};

} // namespace baton::trigger
