#pragma once

#include "libs/base/error.hpp"
#include "libs/base/reminder.hpp"
#include "libs/http/message.hpp"

#include <map>
#include <string>

namespace baton::trigger {

// Logs that a client's message was refused because of its form: a client may log nothing, and the node would show its
// silence only. A line for each path and field, again once a minute while it lasts. On the loop only.
class refused_messages {
public:
    explicit refused_messages(time_source& time) : time_(time) {}
    void note(http::request const& message, invalid_input const& wrong);

private:
    time_source& time_;
    std::map<std::string, reminder> reminders_; // by path and field
};

} // namespace baton::trigger
