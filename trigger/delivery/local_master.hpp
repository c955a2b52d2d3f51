#pragma once

#include "libs/protocol/node_wire.hpp"

#include <cstddef>
#include <string>

namespace baton::trigger {

// The master of this node's present term, as the parts call it that live as long as the process.
class local_master {
public:
    // A node tells what it delivered, could not deliver and saw finish.
    virtual protocol::report_answer report(protocol::report_request const& report) = 0;
    // The web has written a signal: read the signals now.
    virtual void signal() = 0;
    virtual void client_gone(std::string const& instance) = 0;
    // The roster has been read again.
    virtual void nodes_changed() = 0;
    virtual std::size_t open() const = 0; // executions

protected:
    ~local_master() = default;
};

} // namespace baton::trigger
