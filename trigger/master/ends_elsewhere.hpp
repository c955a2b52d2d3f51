#pragma once

#include "libs/base/task_group.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/master/node_calls.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace baton::trigger {

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
