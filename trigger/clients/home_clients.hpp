#pragma once

#include "libs/base/time.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/clients/clock_estimate.hpp"

#include <memory>
#include <set>
#include <string>

namespace baton::trigger {

// A message of a client that a node refused because of its form.
struct refused_message {
    std::string path;
    std::string why;
    instant at{};
};

// A client whose home is this node.
struct known_client {
    storage::client_record row;
    std::set<std::string> handlers;
    bool drained = false;  // by a person
    bool stopping = false; // it has answered so, and the row does not show it yet
    instant heard_at{};    // its last heartbeat
    clock_estimate clock;
    instant answered_at{};                            // a call of this node, last
    std::shared_ptr<refused_message const> refused{}; // the last one; null: none
    instant written_at{}; // this node's last write of the row: an older reading of the row says nothing
    bool gets_work() const { return !drained && !stopping && row.state == storage::client_state::up; }
    bool fetches() const { return row.address.empty(); } // it has no address, and fetches the calls of its home
};

// The clients of this node, as the parts see them that call and supply them. On the loop only.
class home_clients {
public:
    virtual known_client* find(std::string const& instance) = 0; // null if this node is not its home
    // It was a client of this node, or wanted to be, and is gone for good. A client that has moved is not gone.
    virtual bool is_gone(std::string const& instance) const = 0;
    // This node hears the client, but cannot work with it: declares it gone. In the background.
    virtual void bury(std::string const& instance, std::string const& why) = 0;
    // The client has answered that it stops: records it, as its heartbeat will. In the background.
    virtual void drains(std::string const& instance) = 0;

protected:
    ~home_clients() = default;
};

} // namespace baton::trigger
