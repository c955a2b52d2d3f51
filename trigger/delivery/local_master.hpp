#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/whereabouts_wire.hpp"
#include "libs/storage/nodes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// A part of the master that does not work.
struct part_trouble {
    std::string part;
    utc_time since;
    std::string cause;
};

// The master of this node's present term, as the parts call it that live as long as the process.
class local_master {
public:
    // A node tells what it delivered, could not deliver and saw finish.
    virtual protocol::report_answer report(protocol::report_request const& report) = 0;
    // The web has written a signal: read the signals now.
    virtual void signal() = 0;
    virtual void client_gone(std::string const& instance) = 0;
    // The roster has been read by a statement that was sent at `asked`.
    virtual void roster_read(storage::roster const& roster, instant asked) = 0;
    virtual std::size_t open() const = 0; // executions
    // Where these are; see protocol::whereabouts_answer.
    virtual std::vector<protocol::whereabouts> whereabouts(std::vector<execution_id> const& ids) = 0;
    // The node shuts down cleanly: writes down what may be at a client, so that the successor asks about nothing else.
    // True when that is done; otherwise call it again.
    virtual bool note_what_is_out() = 0;
    // Why this master does not plan, although it is active.
    virtual std::optional<std::string> cannot_plan() = 0;
    // Its parts that do not work.
    virtual std::vector<part_trouble> troubles() const = 0;

protected:
    ~local_master() = default;
};

} // namespace baton::trigger
