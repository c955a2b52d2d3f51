#include "cli/import_plan.hpp"

#include "libs/protocol/task.hpp"

namespace baton::cli {

namespace {

nlohmann::json member(nlohmann::json const& object, std::string const& key)
{
    auto const found = object.find(key);
    return found == object.end() ? nlohmann::json() : *found;
}

void compare(std::string const& name, nlohmann::json const& now, nlohmann::json const& file,
             std::vector<difference>& found)
{
    if (now != file)
        found.push_back({name, now, file});
}

// Member by member, so that the text shows only what differs.
void compare_schedules(nlohmann::json const& now, nlohmann::json const& file, std::vector<difference>& found)
{
    std::set<std::string> keys;
    for (auto const& schedule : {now, file})
        for (auto const& [key, value] : schedule.items())
            keys.insert(key);
    for (auto const& key : keys)
        compare("schedule." + key, member(now, key), member(file, key), found);
}

std::string value_text(nlohmann::json const& value)
{
    constexpr std::size_t longest = 100;
    auto text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace); // ASCII: it can be cut anywhere
    if (text.size() > longest)
        text = text.substr(0, longest) + "...";
    return value.is_null() ? "none" : text;
}

} // namespace

std::vector<difference> differences(nlohmann::json const& registered, nlohmann::json const& definition)
{
    auto const full = protocol::to_json(protocol::parse_task(definition)); // with the server's spelling of each value
    std::vector<difference> found;
    for (auto const& [key, value] : definition.items()) {
        if (key == "schedule")
            compare_schedules(member(registered, key), full.at(key), found);
        else if (key != "enabled")
            compare(key, member(registered, key), full.at(key), found);
    }
    return found;
}

nlohmann::json updated_task(nlohmann::json registered, std::vector<difference> const& found,
                            nlohmann::json const& definition)
{
    for (auto const& each : found) {
        auto const key = each.member.substr(0, each.member.find('.'));
        registered[key] = definition.at(key);
    }
    return registered;
}

std::string text_of(difference const& each)
{
    return each.member + ": " + value_text(each.now) + " at the server, " + value_text(each.file) + " in the file";
}

std::vector<nlohmann::json> without_line(std::vector<nlohmann::json> const& registered, std::string const& origin,
                                         std::set<std::string> const& names)
{
    std::vector<nlohmann::json> found;
    for (auto const& task : registered)
        if (task.value("description", "") == origin && task.value("enabled", false) &&
            !names.contains(task.value("name", "")))
            found.push_back(task);
    return found;
}

} // namespace baton::cli
