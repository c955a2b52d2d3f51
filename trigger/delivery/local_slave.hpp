#pragma once

#include "libs/base/asio.hpp"
#include "libs/protocol/node_wire.hpp"

#include <cstddef>
#include <vector>

namespace baton::trigger {

// The slave of this node, as a master and the endpoints call it. On the loop only.
class local_slave {
public:
    // Takes as many as fit, from the front, and returns their number; 0 while this node may count as gone. A message
    // that does not count any more changes nothing; its sender does not wait for the answer. The epoch must be the
    // current one.
    virtual std::size_t accept(protocol::assign_request message) = 0;
    // Forgets those of these executions that were not sent to any client, and returns them.
    virtual std::vector<execution_id> withdraw(std::vector<execution_id> const& executions) = 0;
    // The ends of these executions of its clients are recorded, by another node.
    virtual void ended(std::vector<protocol::attempt_key> const& which) = 0;
    // Of all services, for a new master.
    virtual protocol::capacity_message capacity() = 0;

protected:
    ~local_slave() = default;
};

// The questions of a master to the clients of this node. On the loop only.
class local_questions {
public:
    // The answers that came in time. Clients of other nodes are left out.
    virtual awaitable<protocol::ask_answer> ask(protocol::ask_request request) = 0;
    // Does not wait for the client.
    virtual void cancel(protocol::cancel_at_request request) = 0;

protected:
    ~local_questions() = default;
};

} // namespace baton::trigger
