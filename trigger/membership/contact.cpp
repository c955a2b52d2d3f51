#include "trigger/membership/contact.hpp"

#include <nlohmann/json.hpp>

namespace baton::trigger {

char const* to_string(contact state)
{
    switch (state) {
    case contact::cut_off:
        return "cut_off";
    case contact::returning:
        return "returning";
    case contact::steady:
        break;
    }
    return "steady";
}

contact contact_in(std::string const& health)
{
    if (health.find(health_contact) == std::string::npos) // almost always, and there may be a hundred nodes
        return contact::steady;
    auto const read = nlohmann::json::parse(health, nullptr, false);
    auto const found = read.is_object() ? read.find(health_contact) : read.end();
    if (!read.is_object() || found == read.end())
        return contact::steady;
    if (*found == to_string(contact::cut_off))
        return contact::cut_off;
    return *found == to_string(contact::returning) ? contact::returning : contact::steady;
}

} // namespace baton::trigger
