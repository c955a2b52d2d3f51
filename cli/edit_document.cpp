#include "cli/edit_document.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace baton::cli {

namespace {

// The object that contains the last member of the path, and that member's name.
std::pair<nlohmann::json*, std::string> place_of(nlohmann::json& definition, std::string const& path)
{
    auto* object = &definition;
    std::size_t begin = 0;
    for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
        auto& inner = (*object)[path.substr(begin, dot - begin)];
        if (!inner.is_object() && !inner.is_null())
            throw invalid_input("--set", "'" + path.substr(0, dot) + "' is no object, so it has no member '" +
                                             path.substr(dot + 1) + "'");
        object = &inner;
        begin = dot + 1;
    }
    return {object, path.substr(begin)};
}

// Removes the member, which then has its default.
void remove_member(nlohmann::json& object, std::string const& key, std::string const& path)
{
    if (!object.is_object()) // place_of lets only objects and null pass
        throw invalid_input("--set", in_quotes(path.substr(0, path.size() - key.size() - 1)) + " has no members, so " +
                                         in_quotes(path) +
                                         " cannot be removed: leave this --set out, or give a value, "
                                         "as in " +
                                         path + "=1");
    object.erase(key);
}

// The value as JSON if it is JSON, and else as text.
nlohmann::json value_of(std::string const& path, std::string const& value)
{
    if (!nlohmann::json::accept(value))
        return value;
    try {
        bool const in_payload = path == "payload" || path.starts_with("payload.");
        return in_payload ? protocol::parse_payload(value) : protocol::parse_document(value);
    } catch (invalid_input const& wrong) {
        throw invalid_input("--set", "the value of " + in_quotes(path) + ": " + wrong.what());
    }
}

// The members that a schedule of this kind can have; nothing for a kind that does not exist, which the server refuses.
std::set<std::string> members_of_kind(std::string const& kind)
{
    static std::map<std::string, std::set<std::string>> const members{
        {"cron", {"cron", "zone", "dialect", "gap", "overlap", "hash_seed"}},
        {"fixed_rate", {"every_ms"}},
        {"fixed_delay", {"every_ms"}},
        {"window", {"every_ms", "from", "to", "days", "zone", "gap", "overlap"}},
        {"calendar", {"every", "unit", "time", "on", "roll", "days", "zone", "gap", "overlap"}},
        {"once", {"at"}},
        {"after", {"task"}},
        {"api", {}}};
    auto const found = members.find(kind);
    if (found == members.end())
        return {};
    auto all = found->second;
    if (kind != "once" && kind != "api" && kind != "after")
        all.insert({"start_at", "end_at", "max_firings", "jitter_ms", "jitter_seed", "calendars"});
    return all;
}

std::string kind_of(nlohmann::json const& definition)
{
    auto const schedule = definition.find("schedule");
    if (schedule == definition.end() || !schedule->is_object() || !schedule->contains("kind"))
        return "";
    auto const& kind = schedule->at("kind");
    return kind.is_string() ? kind.get<std::string>() : "";
}

bool is_member_of_schedules(std::string const& member)
{
    return member == "kind" ||
           std::ranges::any_of(std::array{"cron", "window", "calendar", "once"},
                               [&](auto const* kind) { return members_of_kind(kind).contains(member); });
}

} // namespace

nlohmann::json definition_of(nlohmann::json const& task)
{
    auto const known = protocol::to_json(protocol::task_definition{});
    auto definition = nlohmann::json::object();
    for (auto const& [key, value] : known.items())
        if (auto const found = task.find(key); found != task.end())
            definition[key] = *found;
    return definition;
}

std::optional<std::string> json_problem(std::string const& text)
{
    try {
        [[maybe_unused]] auto const read = nlohmann::json::parse(text);
        return std::nullopt;
    } catch (nlohmann::json::parse_error const& wrong) {
        // "[json.exception...] parse error at line 3, column 5: syntax error while parsing object - unexpected ..."
        std::string const said = wrong.what();
        auto const at = said.find("line ");
        auto const colon = said.find(':', at);
        if (at == std::string::npos || colon == std::string::npos)
            return "not JSON";
        auto const dash = said.find(" - ", colon);
        auto why = dash == std::string::npos ? said.substr(colon + 2) : said.substr(dash + 3);
        if (auto const last = why.find("; last read: '"); last != std::string::npos) {
            auto const next = why.find("'; expected ", last);
            why.erase(last, next == std::string::npos ? next : next + 1 - last);
        }
        return "not JSON at " + said.substr(at, colon - at) + ": " + why;
    }
}

void check_settable(nlohmann::json const& task, std::string const& setting)
{
    auto const member = setting.substr(0, setting.find_first_of(".="));
    if (task.contains(member) && !definition_of(task).contains(member))
        throw invalid_input("--set", in_quotes(member) + " cannot be set: only the server writes it");
    if (!task.contains(member) && is_member_of_schedules(member))
        throw invalid_input("--set",
                            "a task has no member " + in_quotes(member) + "; did you mean 'schedule." + member + "'?");
}

void apply_setting(nlohmann::json& definition, std::string const& setting)
{
    auto const equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw invalid_input("--set", "'" + setting + "' is not member=value, such as schedule.cron='0 3 * * *'");
    auto const path = setting.substr(0, equals);
    auto const value = setting.substr(equals + 1);
    auto const [object, key] = place_of(definition, path);
    auto const present = object->find(key);
    bool const is_text = present != object->end() && present->is_string();
    if (value.empty() && !is_text)
        return remove_member(*object, key, path);
    (*object)[key] = is_text ? nlohmann::json(value) : value_of(path, value);
}

void apply_settings(nlohmann::json& definition, std::vector<std::string> settings)
{
    std::stable_partition(settings.begin(), settings.end(),
                          [](auto const& each) { return each.starts_with("schedule.kind="); });
    for (auto const& setting : settings) {
        auto const former = kind_of(definition);
        apply_setting(definition, setting);
        auto const kind = kind_of(definition);
        if (kind == former || !setting.starts_with("schedule.kind="))
            continue;
        auto const kept = members_of_kind(kind);
        for (auto const& member : members_of_kind(former))
            if (!kept.contains(member))
                definition["schedule"].erase(member);
    }
}

} // namespace baton::cli
