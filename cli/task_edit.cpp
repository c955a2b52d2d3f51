// baton task edit, history: changes of a task's definition.

#include "cli/commands.hpp"
#include "cli/difference.hpp"
#include "cli/edit_document.hpp"
#include "cli/editor.hpp"
#include "cli/import_plan.hpp"
#include "cli/input_file.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"
#include "libs/base/error.hpp"
#include "libs/base/printable.hpp"
#include "libs/protocol/document.hpp"

#include <iostream>
#include <memory>
#include <sstream>

namespace baton::cli {

namespace {

struct edit_options {
    std::vector<std::string> settings;
    std::string from;
    bool allow_unserved = false;
};

// An edited text was refused, and stays in this file.
class text_kept : public std::exception {
public:
    text_kept(std::string why, std::string path) : why_(std::move(why)), path_(std::move(path)) {}
    char const* what() const noexcept override { return why_.c_str(); }
    std::string const& path() const noexcept { return path_; }

private:
    std::string why_;
    std::string path_;
};

// Nothing if the definition is the present one.
std::optional<nlohmann::json> send_edit(rest& web, nlohmann::json task, nlohmann::json const& definition,
                                        edit_options const& chosen)
{
    if (!definition.is_object())
        throw invalid_input("", "a definition is a JSON object");
    bool const may_find_parent = task.at("schedule").at("kind") == "after"; // if its parent was deleted and made anew
    if (definition == definition_of(task) && !may_find_parent)
        return std::nullopt;
    auto changed = definition;
    for (auto const* key : {"id", "version"})
        changed[key] = task.at(key);
    try {
        auto edited = web.replace(changed, chosen.allow_unserved ? "?allow_unserved=true" : "");
        if (edited.at("version") == task.at("version"))
            return std::nullopt; // the default of a member was left out or written
        return edited;
    } catch (request_failed const& failure) {
        if (failure.status() != 412)
            throw;
        throw request_failed(412, "the task was changed meanwhile; edit it again");
    }
}

nlohmann::json parse_definition(std::string const& text)
{
    if (auto const problem = json_problem(text))
        throw invalid_input("", *problem);
    return protocol::parse_document(text);
}

// Nothing if the person left the definition as it was.
std::optional<nlohmann::json> edit_in_editor(rest& web, nlohmann::json const& task, edit_options const& chosen)
{
    auto const before = printable_json(definition_of(task).dump(2)) + "\n";
    edited_file file(before);
    auto const after = file.edit();
    if (after == before)
        return std::nullopt;
    try {
        return send_edit(web, task, parse_definition(after), chosen);
    } catch (invalid_input const& wrong) {
        file.keep();
        throw text_kept(wrong.field().empty() ? wrong.what() : wrong.field() + ": " + wrong.what(), file.path());
    } catch (std::exception const& failure) {
        file.keep();
        throw text_kept(failure.what(), file.path());
    }
}

// Also from what `baton task show --json` prints, which has members that only the server writes.
nlohmann::json read_definition(std::string const& path)
{
    auto const text = read_input_file(path);
    try {
        auto const definitions = definitions_in(parse_definition(text));
        if (definitions.size() != 1)
            throw invalid_input("", "has " + std::to_string(definitions.size()) +
                                        " tasks, and an edit takes one; `baton task import --update` takes more");
        return definitions.front();
    } catch (invalid_input const& wrong) {
        throw invalid_input(path, wrong.what());
    }
}

std::optional<nlohmann::json> edit_as_chosen(rest& web, nlohmann::json const& task, edit_options const& chosen)
{
    if (!chosen.from.empty())
        return send_edit(web, task, read_definition(chosen.from), chosen);
    if (chosen.settings.empty() && !can_edit())
        throw invalid_input("--set or --from", "is needed here: without a terminal no editor can run, and neither "
                                               "VISUAL nor EDITOR names another than vi");
    if (chosen.settings.empty())
        return edit_in_editor(web, task, chosen);
    auto definition = definition_of(task);
    for (auto const& setting : chosen.settings)
        check_settable(task, setting);
    apply_settings(definition, chosen.settings);
    return send_edit(web, task, definition, chosen);
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
    auto const edited = edit_as_chosen(web, task, chosen);
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
    print_notes(std::cout, *edited);
}

void complain(text_kept const& failure, std::string const& task)
{
    std::cerr << "baton: " << printable(failure.what()) << "\nyour text is in " << printable(failure.path())
              << "; correct it there and give it with `baton task edit " << printable(task) << " --from "
              << printable(failure.path()) << "`, which replaces the whole definition" << std::endl;
}

void add_edit(CLI::App& task, common_options const& common, int& status)
{
    auto* const command = task.add_subcommand("edit", "Change a task, in $EDITOR or with --set");
    command->footer(
        "A change is refused if another person changed the task meanwhile. docs/schedules.md explains schedules "
        "and routings.\n"
        "Example: baton task edit close-day --set schedule.cron='0 3 * * *' --set max_attempts=5");
    auto const which = add_task_selection(*command);
    auto const chosen = std::make_shared<edit_options>();
    auto* const from = command->add_option("--from", chosen->from,
                                           "JSON file with the whole definition, instead of an editor; also "
                                           "what `task show --json` prints");
    from->check(CLI::ExistingFile);
    command
        ->add_option("--set", chosen->settings,
                     "member=value instead of an editor, such as max_attempts=5, schedule.zone=Europe/Berlin or "
                     "schedule='{\"kind\": \"api\"}'")
        ->allow_extra_args(false)
        ->excludes(from);
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([which, chosen, &common, &status] {
        try {
            edit(*which, *chosen, common);
        } catch (text_kept const& failure) {
            complain(failure, which->task);
            status = status_failed;
        }
    });
}

// The newest first, so the version before is the next row; that of the last row is not known.
void print_history(std::vector<nlohmann::json> const& versions, common_options const& common)
{
    auto const at = times_of(common);
    table shown({"VERSION", "ACTION", at.title("AT"), at.title("IN FORCE FROM"), "CHANGES"});
    shown.when_narrow({"IN FORCE FROM"}, at.day(system_time{}.utc()));
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
        auto const id = web.past_task_id(which->task, which->project, std::cerr);
        auto const found = web.page("/api/v1/tasks/" + id + "/versions", *limit);
        if (common.json)
            return print_json(std::cout, found);
        print_history(found.at("items").get<std::vector<nlohmann::json>>(), common);
    });
}

} // namespace

void add_task_changes(CLI::App& task, common_options const& common, int& status)
{
    add_edit(task, common, status);
    add_history(task, common);
}

} // namespace baton::cli
