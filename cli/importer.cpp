#include "cli/importer.hpp"

#include "cli/import_plan.hpp"
#include "cli/table.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"

namespace baton::cli {

namespace {

std::string name_of(import_task const& task)
{
    return task.definition.is_object() ? cell(task.definition, "name") : "?";
}

// The text of an answer for this name and, for a crontab, this line.
std::string labelled(std::string const& name, int line)
{
    return line == 0 ? name : name + " (line " + std::to_string(line) + ")";
}

nlohmann::json to_json(std::vector<difference> const& found)
{
    auto all = nlohmann::json::array();
    for (auto const& each : found)
        all.push_back({{"member", each.member}, {"server", each.from}, {"file", each.to}});
    return all;
}

} // namespace

void importer::say(std::string const& fate, std::string const& name, int line, std::string const& more)
{
    said_.push_back(fate + " " + labelled(name, line) + (more.empty() ? "" : ": " + more));
}

void importer::take(import_task const& task)
{
    auto const name = name_of(task);
    for (auto const& note : task.notes) {
        notes_.push_back({{"name", name}, {"line", task.line}, {"note", note}});
        say("note", name, task.line, note);
    }
    try {
        auto const definition = protocol::parse_task(task.definition); // before the server is asked
        if (auto const registered = web_.find_task(definition.name, definition.project))
            compare(task, *registered);
        else
            register_new(task);
    } catch (invalid_input const& wrong) {
        refused_.push_back(labelled(name, task.line) + ": " + wrong.field() + ": " + wrong.what());
    } catch (request_failed const& failure) {
        if (failure.status() == 0)
            throw;
        refused_.push_back(labelled(name, task.line) + ": " + failure.what());
    }
}

void importer::register_new(import_task const& task)
{
    auto const target = std::string("/api/v1/tasks") + (mode_.allow_unserved ? "?allow_unserved=true" : "");
    registered_.push_back(mode_.dry_run ? task.definition : web_.send(http::verb::post, target, task.definition));
    say(mode_.dry_run ? "would register" : "registered", name_of(task), task.line);
}

void importer::compare(import_task const& task, nlohmann::json const& registered)
{
    auto const name = name_of(task);
    auto const found = differences_from_file(registered, task.definition);
    if (found.empty()) {
        ++already_;
        if (task.definition.value("enabled", true) && !registered.value("enabled", true))
            say("disabled", name, task.line, "`baton task enable " + name + "` enables it");
        return;
    }
    std::string texts;
    for (auto const& each : found)
        texts += (texts.empty() ? "" : "; ") + import_text(each);
    if (mode_.update && !mode_.dry_run) {
        updated_.push_back(web_.replace(updated_task(registered, found, task.definition),
                                        mode_.allow_unserved ? "?allow_unserved=true" : ""));
        return say("updated", name, task.line, texts);
    }
    differ_.push_back({{"id", registered.at("id")}, {"name", name}, {"differences", to_json(found)}});
    say("differs", name, task.line, texts);
}

void importer::disable(nlohmann::json const& task)
{
    bool const act = mode_.prune && !mode_.dry_run;
    if (act)
        web_.send(http::verb::post, "/api/v1/tasks/" + task.at("id").get<std::string>() + "/disable");
    removed_.push_back({{"id", task.at("id")}, {"name", task.at("name")}, {"disabled", act}});
    say(act ? "disabled" : "without a line", cell(task, "name"), 0, cell(task, "schedule_text"));
}

void importer::find_removed(import_input const& input, import_settings const& settings)
{
    if (input.origin.empty())
        return;
    if (mode_.prune && !input.whole)
        throw request_failed(0, "--prune disables nothing while the file has lines that cannot be read, since their "
                                "tasks would be disabled too");
    std::set<std::string> names;
    for (auto const& task : input.tasks)
        names.insert(task.definition.at("name").get<std::string>());
    auto const target = "/api/v1/tasks?project=" + http::percent_encode(settings.project) +
                        "&service=" + http::percent_encode(settings.service);
    for (auto const& task : without_line(web_.list(target, 100'000), input.origin, names))
        disable(task);
}

nlohmann::json importer::report() const
{
    return {{"dry_run", mode_.dry_run}, {"registered", registered_}, {"already", already_}, {"updated", updated_},
            {"differ", differ_},        {"removed", removed_},       {"notes", notes_},     {"refused", refused_}};
}

std::string importer::summary() const
{
    auto const part = [](std::size_t count, std::string const& what) {
        return count == 0 ? "" : std::to_string(count) + " " + what + ", ";
    };
    auto text = std::to_string(registered_.size()) + (mode_.dry_run ? " to register, " : " registered, ") +
                std::to_string(already_) + " already registered, " + part(updated_.size(), "updated") +
                part(differ_.size(), "differ from the file (--update changes them)") +
                part(removed_.size(), mode_.prune && !mode_.dry_run ? "without a line disabled"
                                                                    : "without a line (--prune disables them)");
    return text + std::to_string(refused_.size()) + " refused";
}

} // namespace baton::cli
