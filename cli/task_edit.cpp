// baton task edit, history: changes of a task's definition.

#include "cli/commands.hpp"
#include "cli/difference.hpp"
#include "cli/edit_document.hpp"
#include "cli/editor.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"
#include "libs/base/error.hpp"
#include "libs/base/printable.hpp"
#include "libs/protocol/document.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct edit_options {
    std::vector<std::string> settings;
    bool allow_unserved = false;
};

nlohmann::json send_edit(rest& web, nlohmann::json task, nlohmann::json const& definition, edit_options const& chosen)
{
    if (!definition.is_object())
        throw invalid_input("", "a definition is a JSON object");
    auto changed = definition;
    for (auto const* key : {"id", "version"})
        changed[key] = task.at(key);
    return web.replace(changed, chosen.allow_unserved ? "?allow_unserved=true" : "");
}

// Nothing if the person left the text as it was.
std::optional<nlohmann::json> edit_in_editor(rest& web, nlohmann::json const& task, edit_options const& chosen)
{
    auto const before = printable_json(definition_of(task).dump(2)) + "\n";
    edited_file file(before);
    auto const after = file.edit();
    if (after == before)
        return std::nullopt;
    try {
        return send_edit(web, task, protocol::parse_document(after), chosen);
    } catch (std::exception const& failure) {
        file.keep();
        throw request_failed(0, std::string(failure.what()) + "\nyour text is in " + file.path());
    }
}

std::string changes_text(std::vector<difference> const& found)
{
    std::string text;
    for (auto const& each : found)
        text += (text.empty() ? "" : "; ") + each.member + ": " + value_text(each.from) + " -> " + value_text(each.to);
    return text;
}

void edit(task_selection const& which, edit_options const& chosen, common_options const& common)
{
    rest web(common);
    auto const task = web.get("/api/v1/tasks/" + web.task_id(which.task, which.project));
    auto definition = definition_of(task);
    for (auto const& setting : chosen.settings)
        apply_setting(definition, setting);
    auto const edited = chosen.settings.empty() ? edit_in_editor(web, task, chosen)
                                                : std::optional(send_edit(web, task, definition, chosen));
    if (common.json)
        return print_json(std::cout, edited.value_or(task));
    auto const name = "task " + cell(task, "id") + " " + cell(task, "name");
    if (!edited) {
        std::cout << name << ": unchanged\n";
        return;
    }
    auto const changes = changes_text(differences_of(definition_of(task), definition_of(*edited)));
    std::cout << name << ": " << (changes.empty() ? "unchanged" : printable(changes)) << "; in force from "
              << times_of(common).text(*edited, "valid_from") << '\n';
}

void add_edit(CLI::App& task, common_options const& common)
{
    auto* const command = task.add_subcommand("edit", "Change a task, in $EDITOR or with --set");
    command->footer(
        "A change is refused if another person changed the task meanwhile. docs/schedules.md explains schedules "
        "and routings.\n"
        "Example: baton task edit close-day --set schedule.cron='0 3 * * *' --set max_attempts=5");
    auto const which = add_task_selection(*command);
    auto const chosen = std::make_shared<edit_options>();
    command
        ->add_option("--set", chosen->settings,
                     "member=value instead of an editor, such as max_attempts=5, schedule.zone=Europe/Berlin or "
                     "schedule='{\"kind\": \"api\"}'")
        ->allow_extra_args(false);
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([which, chosen, &common] { edit(*which, *chosen, common); });
}

// The newest first, so the version before is the next row; that of the last row is not known.
void print_history(std::vector<nlohmann::json> const& versions, common_options const& common)
{
    auto const at = times_of(common);
    table shown({"VERSION", "ACTION", at.title("AT"), at.title("IN FORCE FROM"), "CHANGES"});
    for (std::size_t i = 0; i < versions.size(); ++i) {
        auto const& each = versions[i];
        auto const changes = i + 1 < versions.size()
                                 ? changes_text(differences_of(versions[i + 1].at("definition"), each.at("definition")))
                                 : std::string();
        shown.add({cell(each, "version"), cell(each, "action"), at.cell(each, "created_at"),
                   at.cell(each, "valid_from"), changes});
    }
    shown.print(std::cout);
}

void add_history(CLI::App& task, common_options const& common)
{
    auto* const command = task.add_subcommand("history", "Show the versions of a task, the newest first");
    command->footer("Example: baton task history close-day --limit 5");
    auto const which = add_task_selection(*command);
    auto const limit = std::make_shared<std::size_t>(50);
    command->add_option("--limit", *limit, "Number of versions")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    command->callback([which, limit, &common] {
        rest web(common);
        auto const found = web.page("/api/v1/tasks/" + web.task_id(which->task, which->project) + "/versions", *limit);
        if (common.json)
            return print_json(std::cout, found);
        print_history(found.at("items").get<std::vector<nlohmann::json>>(), common);
    });
}

} // namespace

void add_task_changes(CLI::App& task, common_options const& common)
{
    add_edit(task, common);
    add_history(task, common);
}

} // namespace baton::cli
