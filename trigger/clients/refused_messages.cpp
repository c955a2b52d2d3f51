#include "trigger/clients/refused_messages.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t most_reminders = 100; // clients choose the text of a field's name

constexpr std::size_t longest_shown = 300;            // bytes, of what people see at the client
constexpr std::size_t longest_looked_at = 256u << 10; // bytes of a message; a larger one is not read for its sender

} // namespace

// The client that sent the message, as its ticket or secret proves. Null if it is no client of this node, or if the
// body is too large or no JSON.
known_client* refused_messages::sender_of(http::request const& message)
{
    if (message.body.size() > longest_looked_at)
        return nullptr;
    auto const said = nlohmann::json::parse(message.body, nullptr, false);
    auto const text_of = [&](char const* member) -> std::string {
        auto const found = said.is_object() ? said.find(member) : said.end();
        return found != said.end() && found->is_string() ? found->get_ref<std::string const&>() : std::string();
    };
    auto const instance = text_of("instance");
    auto* const known = instance.empty() ? nullptr : clients_.find(instance);
    if (known == nullptr)
        return nullptr;
    bool const is_its =
        text_of("ticket") == given_.ticket(instance, known->row.generation) || text_of("secret") == known->row.secret;
    return is_its ? known : nullptr;
}

void refused_messages::note(http::request const& message, invalid_input const& wrong)
{
    auto const path = message.path();
    if (auto* const sender = sender_of(message))
        sender->refused = std::make_shared<refused_message const>(
            refused_message{path, shortened(wrong.what(), longest_shown), time_.now()});
    if (reminders_.size() >= most_reminders)
        reminders_.clear();
    if (reminders_[path + " " + wrong.field()].is_due(wrong.what(), time_.now()))
        log::warn("clients", "a client's message is refused, its program is to be corrected",
                  {log::reason(wrong.what()), {"path", path}, {"from", message.peer}});
}

} // namespace baton::trigger
