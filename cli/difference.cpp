#include "cli/difference.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/printable.hpp"

#include <set>

namespace baton::cli {

namespace {

nlohmann::json member(nlohmann::json const& object, std::string const& key)
{
    auto const found = object.find(key);
    return found == object.end() ? nlohmann::json() : *found;
}

void compare(std::string const& name, nlohmann::json const& from, nlohmann::json const& to,
             std::vector<difference>& found)
{
    if (from != to)
        found.push_back({name, from, to});
}

void compare_schedules(nlohmann::json const& from, nlohmann::json const& to, std::vector<difference>& found)
{
    std::set<std::string> keys;
    for (auto const& schedule : {from, to})
        for (auto const& [key, value] : schedule.items())
            keys.insert(key);
    for (auto const& key : keys)
        compare("schedule." + key, member(from, key), member(to, key), found);
}

} // namespace

std::vector<difference> differences_of(nlohmann::json const& from, nlohmann::json const& to)
{
    std::vector<difference> found;
    for (auto const& [key, value] : to.items()) {
        if (key == "schedule")
            compare_schedules(member(from, key), value, found);
        else
            compare(key, member(from, key), value, found);
    }
    return found;
}

std::string value_text(nlohmann::json const& value)
{
    constexpr std::size_t longest = 100;
    if (value.is_null())
        return "none";
    auto const text = printable_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return text.size() > longest ? shortened(text, longest) + "..." : text;
}

} // namespace baton::cli
