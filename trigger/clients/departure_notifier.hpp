#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/membership/membership.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// Tells the master and the home of a client that the client has left, died or moved, so that they need not wait until
// they read it in the table of clients. A hint, which may be lost. A node gets one message at a time, with all that has
// come together meanwhile. On the loop only.
class departure_notifier {
public:
    departure_notifier(membership const& nodes, http::client& http, task_group& background);

    // `home`: the node that heard the client.
    void notify(std::string const& instance, std::string const& home);
    // Tells its last home that the client is registered with this node now.
    void notify_moved(std::string const& instance, std::string const& before, std::int64_t generation);

private:
    void add(std::string const& node, protocol::departed_client one);
    awaitable<void> send_all(std::string node);
    awaitable<void> send(storage::node_record const& node, protocol::departed_message body);

    membership const& nodes_;
    http::client& http_;
    task_group& background_;                                                // ends before this object
    std::map<std::string, std::vector<protocol::departed_client>> waiting_; // by node; an entry while it is told
};

} // namespace baton::trigger
