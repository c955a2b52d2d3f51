#pragma once

#include "libs/base/error.hpp"
#include "libs/base/reminder.hpp"
#include "libs/http/message.hpp"
#include "trigger/clients/home_clients.hpp"
#include "trigger/clients/stamps.hpp"

#include <map>
#include <string>

namespace baton::trigger {

// Logs that a client's message was refused because of its form, and notes it at the client, if this node is its home
// and the message has its ticket or secret: a client may log nothing, and the node would show its silence only. A line
// for each path and field, again once a minute while it lasts. On the loop only.
class refused_messages {
public:
    refused_messages(time_source& time, home_clients& clients, stamps const& given)
        : time_(time), clients_(clients), given_(given)
    {}
    void note(http::request const& message, invalid_input const& wrong);

private:
    known_client* sender_of(http::request const& message);

    time_source& time_;
    home_clients& clients_;
    stamps const& given_;
    std::map<std::string, reminder> reminders_; // by path and field
};

} // namespace baton::trigger
