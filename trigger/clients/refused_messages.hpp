#pragma once

#include "libs/base/error.hpp"
#include "libs/base/reminder.hpp"
#include "libs/http/message.hpp"
#include "libs/protocol/client_wire.hpp"

#include <map>
#include <string>

namespace baton::trigger {

// The results that a client reports, read from a body. Throws invalid_input, which names the statuses that a client may
// report.
protocol::results_request read_results(std::string const& body);

// Tells in the log that a client's message was refused because of its form: the client may tell nobody, and the node
// shows its silence only. A line for each path and field, again once a minute while it lasts. On the loop only.
class refused_messages {
public:
    explicit refused_messages(time_source& time) : time_(time) {}
    void note(http::request const& message, invalid_input const& wrong);

private:
    time_source& time_;
    std::map<std::string, reminder> told_;
};

} // namespace baton::trigger
