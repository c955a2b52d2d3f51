#include "cli/importer.hpp"

#include "cli/import_plan.hpp"
#include "cli/table.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/policy_notes.hpp"
#include "libs/protocol/task.hpp"
#include "web/refusal.hpp"
#include "web/served.hpp"

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

bool importer::take_all(import_input const& input, import_settings const& settings)
{
    auto const begin = refused_.size();
    bool const answered = take_file(input, settings);
    for (auto i = begin; i < refused_.size(); ++i)
        refused_[i] = input.file + ": " + refused_[i];
    return answered;
}

bool importer::take_file(import_input const& input, import_settings const& settings)
{
    refused_.insert(refused_.end(), input.problems.begin(), input.problems.end());
    if (!input.warning.empty()) {
        notes_.push_back({{"file", input.file}, {"note", input.warning}});
        said_.push_back("note " + input.file + ": " + input.warning);
    }
    for (int const line : input.timeless) {
        timeless_.push_back({{"file", input.file}, {"line", line}, {"schedule", "@reboot"}});
        said_.push_back("without a time " + input.file + ": line " + std::to_string(line) +
                        ": @reboot is no time, and no task is registered for it: leave it to cron or make it a system "
                        "service");
    }
    for (auto const& task : input.tasks)
        if (!take(task))
            return false;
    return input.origin.empty() || take_removed(input, settings);
}

// False if there was no answer: then no other request is tried.
bool importer::refuse(std::string const& label, std::exception const& failure)
{
    auto const* const answer = dynamic_cast<request_failed const*>(&failure);
    bool const answered = answer == nullptr || answer->status() != 0;
    refused_.push_back(label + ": " + failure.what() + (answered ? "" : "; the import stopped here"));
    return answered;
}

bool importer::take(import_task const& task)
{
    auto const name = name_of(task);
    auto const label = labelled(name, task.line);
    try {
        auto const definition = protocol::parse_task(task.definition); // before the server is asked
        if (auto const registered = web_.find_task(definition.name, definition.project))
            compare(task, *registered);
        else
            register_new(task);
    } catch (invalid_input const& wrong) {
        bool const named = wrong.field().empty() || std::string(wrong.what()).starts_with(wrong.field());
        return refuse(named ? label : label + ": " + wrong.field(), wrong);
    } catch (std::exception const& failure) {
        return refuse(label, failure);
    }
    return true;
}

// A dry run sends no definition, so it makes the server's check itself.
void importer::check_served(nlohmann::json const& task)
{
    if (!mode_.dry_run || mode_.allow_unserved)
        return;
    if (!live_)
        live_ = live_services(web_.page("/api/v1/clients", 1'000'000));
    auto const wanted = protocol::parse_task(task);
    try {
        auto const service = protocol::key_of(protocol::service_of(wanted));
        web::require_served(served_in(*live_, service), wanted.handler, 422);
    } catch (web::refused const& refusal) {
        throw request_failed(422, in_own_words(refusal.what()));
    }
}

void importer::register_new(import_task const& task)
{
    check_served(task.definition);
    auto const target = std::string("/api/v1/tasks") + (mode_.allow_unserved ? "?allow_unserved=true" : "");
    auto definition = task.definition;
    if (task.disabled_when_new)
        definition["enabled"] = false;
    registered_.push_back(mode_.dry_run ? definition : web_.send(http::verb::post, target, definition));
    say(mode_.dry_run ? "would register" : "registered", name_of(task), task.line);
    note_policies(task, registered_.back());
}

// `saved`: the answer of the server. A dry run has none, and knows only the policies that the file names.
void importer::note_policies(import_task const& task, nlohmann::json const& saved)
{
    std::vector<std::string> texts;
    for (auto const& note : saved.value("notes", nlohmann::json::array()))
        if (note.value("kind", "") == "policy")
            texts.push_back(note.at("text").get<std::string>());
    if (mode_.dry_run)
        for (auto const& note : protocol::policy_notes(protocol::parse_task(task.definition)))
            texts.push_back(note.text);
    for (auto const& text : texts) {
        notes_.push_back({{"task", name_of(task)}, {"note", text}});
        say("note", name_of(task), task.line, text);
    }
}

// A crontab's line that cron would run, and whose task does not fire.
void importer::note_disabled(import_task const& task, nlohmann::json const& registered)
{
    if (task.line == 0 || task.disabled_when_new || task.definition.contains("enabled") ||
        registered.value("enabled", true))
        return;
    auto const name = name_of(task);
    stay_disabled_.push_back({{"id", registered.at("id")}, {"name", name}, {"line", task.line}});
    say("stays disabled", name, task.line, "`baton task enable " + name + "`, or --update --enable, enables it");
}

void importer::compare(import_task const& task, nlohmann::json const& registered)
{
    auto const name = name_of(task);
    note_disabled(task, registered);
    auto const found = differences_from_file(registered, task.definition);
    if (found.empty()) {
        ++already_;
        return;
    }
    std::string texts;
    for (auto const& each : found)
        texts += (texts.empty() ? "" : "; ") + import_text(each);
    if (mode_.update && names_another_handler(found))
        check_served(task.definition);
    if (mode_.update && !mode_.dry_run) {
        updated_.push_back(web_.replace(updated_task(registered, found, task.definition),
                                        mode_.allow_unserved ? "?allow_unserved=true" : ""));
        bool const only_enabled = found.size() == 1 && enables(found);
        say(only_enabled ? "enabled" : "updated", name, task.line, only_enabled ? std::string() : texts);
        return note_policies(task, updated_.back());
    }
    differ_.push_back({{"id", registered.at("id")}, {"name", name}, {"differences", to_json(found)}});
    if (enables(found))
        texts += "; the task is disabled, and --update or `baton task enable " + name + "` enables it";
    say("differs", name, task.line, texts);
}

void importer::disable(nlohmann::json const& task, bool act)
{
    if (act)
        web_.send(http::verb::post, "/api/v1/tasks/" + task.at("id").get<std::string>() + "/disable");
    disabled_ += act;
    removed_.push_back({{"id", task.at("id")}, {"name", task.at("name")}, {"disabled", act}});
    say(act ? "disabled" : "without a line", cell(task, "name"), 0, cell(task, "schedule_text"));
}

// False, with the reason in `refused`, if the file does not show which lines are gone. `any`: a task would be disabled.
bool importer::may_prune(import_input const& input, bool any)
{
    std::string why;
    if (!input.problems.empty())
        why = "--prune disables nothing while the file has lines that cannot be read, since their tasks would be "
              "disabled too: correct the lines, and import the file again";
    else if (any && input.tasks.empty() && input.timeless.empty()) // such as one that could not be copied
        why = "--prune disables nothing, because " + input.file +
              " has no line that becomes a task: if that is right, disable its tasks by `baton task disable`";
    if (why.empty())
        return true;
    ++not_pruned_;
    refused_.push_back(why);
    return false;
}

bool importer::take_removed(import_input const& input, import_settings const& settings)
{
    std::vector<nlohmann::json> found;
    try {
        std::set<std::string> names;
        for (auto const& task : input.tasks)
            names.insert(task.definition.at("name").get<std::string>());
        auto const target = "/api/v1/tasks?project=" + http::percent_encode(settings.project) +
                            "&service=" + http::percent_encode(settings.service);
        found = without_line(web_.list(target, 100'000), input.origin, input.file, names);
    } catch (std::exception const& failure) {
        return refuse("the tasks without a line are not known", failure);
    }
    bool const prune = mode_.prune && may_prune(input, !found.empty());
    for (auto const& task : found) {
        try {
            disable(task, prune && !mode_.dry_run);
        } catch (std::exception const& failure) {
            if (!refuse(cell(task, "name") + ": was not disabled", failure))
                return false;
        }
    }
    return true;
}

nlohmann::json importer::report() const
{
    return {{"dry_run", mode_.dry_run}, {"registered", registered_},
            {"already", already_},      {"updated", updated_},
            {"differ", differ_},        {"removed", removed_},
            {"notes", notes_},          {"without_time", timeless_},
            {"refused", refused_},      {"stay_disabled", stay_disabled_}};
}

std::string importer::summary() const
{
    auto const part = [](std::size_t count, std::string const& what) {
        return count == 0 ? "" : std::to_string(count) + " " + what + ", ";
    };
    auto text = std::to_string(registered_.size()) + (mode_.dry_run ? " to register, " : " registered, ") +
                std::to_string(already_) + " already registered, " + part(updated_.size(), "updated") +
                part(differ_.size(), "differ from the file (--update changes them)") +
                part(stay_disabled_.size(), "stay disabled (--update --enable enables them)") +
                part(disabled_, "without a line disabled") +
                part(removed_.size() - disabled_, "without a line (--prune disables them)") +
                part(timeless_.size(), "without a time: @reboot");
    return text + std::to_string(refused_.size() - not_pruned_) + " refused";
}

} // namespace baton::cli
