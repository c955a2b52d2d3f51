#include "trigger/clients/refused_messages.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t most_reminders = 100; // clients choose the text of a field's name

} // namespace

void refused_messages::note(http::request const& message, invalid_input const& wrong)
{
    auto const path = message.path();
    if (reminders_.size() >= most_reminders)
        reminders_.clear();
    if (reminders_[path + " " + wrong.field()].is_due(wrong.what(), time_.now()))
        log::warn("clients", "a client's message is refused, its program is to be corrected",
                  {log::reason(wrong.what()), {"path", path}, {"from", message.peer}});
}

} // namespace baton::trigger
