#include "cli/default_options.hpp"

#include "libs/protocol/task_origins.hpp"

namespace baton::cli {

void add_default_options(CLI::App& command, default_options& into)
{
    command.add_option("--default", into.given,
                       "A policy for tasks that have none of their own when they are saved, such as max_attempts=3, "
                       "'misfire={\"action\": \"skip\"}' or zone=Europe/Berlin. May be given again");
    command.add_option("--no-default", into.removed, "Remove the default of this member. May be given again");
}

void change_defaults(nlohmann::json& settings, default_options const& chosen)
{
    auto defaults = settings.value("defaults", nlohmann::json::object());
    for (auto const& text : chosen.given) {
        auto const equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            throw CLI::ValidationError("--default",
                                       "'" + text + "' is not a member and a value, such as max_attempts=3");
        auto const value = text.substr(equals + 1);
        auto parsed = nlohmann::json::parse(value, nullptr, false);
        defaults[text.substr(0, equals)] = parsed.is_discarded() ? nlohmann::json(value) : std::move(parsed);
    }
    for (auto const& member : chosen.removed)
        if (defaults.erase(member) == 0)
            throw CLI::ValidationError("--no-default", "there is no default of '" + member + "'");
    settings["defaults"] = std::move(defaults);
}

nlohmann::json patch_of_defaults(nlohmann::json const& task)
{
    auto patch = nlohmann::json::object();
    for (auto const& [member, from] : task.at("origins").items()) {
        if (from == "task")
            continue;
        if (member == "zone")
            patch["schedule"]["zone"] = nullptr;
        else
            patch[member] = nullptr;
    }
    return patch;
}

} // namespace baton::cli
