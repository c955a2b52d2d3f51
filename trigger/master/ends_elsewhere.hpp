#pragma once

#include "libs/base/task_group.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/master/client_directory.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/open_execution.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace baton::trigger {

// The node that delivers the execution, or the home of the client that has it; null if no node or client has it. The
// directory learns of a new client within a second, and its home may deliver to it before that.
std::string const* home_of(open_execution const& one, client_directory const& clients);

// Tells the home of a client of the ends that other nodes have recorded: a client may send its results to any node, and
// its home would count its slots as taken until a heartbeat or a question shows otherwise. What is lost here is found
// that way. A home that does not answer delays no other. Part of a term, on the loop only.
class ends_elsewhere {
public:
    ends_elsewhere(node_calls& calls, time_source& time, asio::any_io_executor loop)
        : calls_(calls), time_(time), group_(loop), bell_(loop)
    {}

    void add(std::string const& home, protocol::attempt_key const& which);

    awaitable<void> run();

    // Homes with ends that they have not been told of yet.
    std::size_t homes() const { return waiting_.size(); }

private:
    awaitable<void> work();
    awaitable<void> tell(std::string home);

    node_calls& calls_;
    time_source& time_;
    std::map<std::string, std::deque<protocol::attempt_key>> waiting_; // by home, each with one call in flight
    std::deque<std::string> fresh_;                                    // without a call yet
    task_group group_;
    waker bell_;
};

} // namespace baton::trigger
