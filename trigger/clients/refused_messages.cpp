#include "trigger/clients/refused_messages.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t most_reminders = 100; // clients choose the text of a field's name

constexpr std::size_t longest_shown = 300;          // bytes, of what people see at the client
constexpr std::size_t longest_looked_at = 1u << 20; // bytes of a message, for the name of its sender

} // namespace

// Null if the message does not name one of this node's clients.
known_client* refused_messages::sender_of(http::request const& message)
{
    if (message.body.size() > longest_looked_at)
        return nullptr;
    auto const said = nlohmann::json::parse(message.body, nullptr, false);
    auto const name = said.is_object() ? said.value("instance", nlohmann::json()) : nlohmann::json();
    return name.is_string() ? clients_.find(name.get<std::string>()) : nullptr;
}

void refused_messages::note(http::request const& message, invalid_input const& wrong)
{
    auto const path = message.path();
    if (auto* const sender = sender_of(message))
        sender->refused = {path, shortened(wrong.what(), longest_shown), time_.now()};
    if (reminders_.size() >= most_reminders)
        reminders_.clear();
    if (reminders_[path + " " + wrong.field()].is_due(wrong.what(), time_.now()))
        log::warn("clients", "a client's message is refused, its program is to be corrected",
                  {log::reason(wrong.what()), {"path", path}, {"from", message.peer}});
}

} // namespace baton::trigger
