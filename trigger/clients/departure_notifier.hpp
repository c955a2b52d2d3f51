#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "trigger/membership/membership.hpp"

#include <string>

namespace baton::trigger {

// Tells the other live nodes that a client has left or died, so that they need not wait until they read it. A hint: a
// node that does not answer reads the departure from the table of clients.
class departure_notifier {
public:
    departure_notifier(membership const& nodes, http::client& http, task_group& background);

    void notify(std::string const& instance);

private:
    awaitable<void> send(storage::node_record node, std::string instance);

    membership const& nodes_;
    http::client& http_;
    task_group& background_; // ends before this object
};

} // namespace baton::trigger
