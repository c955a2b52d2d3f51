// baton task import: tasks from a crontab(5) file or from JSON.

#include "cli/commands.hpp"
#include "cli/config/reader.hpp"
#include "cli/crontab_tasks.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "libs/schedule/time_zone.hpp"

#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

namespace baton::cli {

namespace {

struct options {
    std::string file;
    std::string form = "guess";
    import_settings how;
    bool allow_unserved = false;
};

struct gathered {
    std::vector<nlohmann::json> tasks;
    std::vector<std::string> problems;
};

std::string read_text(std::string const& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in.good() && in.peek() != std::ifstream::traits_type::eof()) // of nothing, << would make a failure
        text << in.rdbuf();
    else if (!in.eof())
        throw config_error(file + ": cannot be read");
    return text.str();
}

bool looks_like_json(std::string const& text)
{
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

gathered from_json(std::string const& file, std::string const& text)
{
    auto const document = nlohmann::json::parse(text, nullptr, false, true);
    if (document.is_discarded())
        throw config_error(file + ": is not JSON");
    gathered out;
    if (document.is_object())
        out.tasks.push_back(document);
    else
        out.tasks.assign(document.begin(), document.end());
    return out;
}

gathered from_crontab(options const& how, std::string const& text)
{
    auto const form = how.form == "system" ? schedule::crontab_form::system
                      : how.form == "user" ? schedule::crontab_form::user
                                           : schedule::guess_form(how.file);
    auto const parsed = schedule::parse_crontab(text, form, how.file);
    gathered out;
    for (auto const& problem : parsed.problems)
        out.problems.push_back("line " + std::to_string(problem.line) + ": " + problem.why);
    auto settings = how.how;
    if (settings.zone.empty())
        settings.zone = host_zone();
    for (auto const& entry : parsed.entries)
        out.tasks.push_back(task_of(entry, how.file, settings));
    return out;
}

struct tally {
    int registered = 0;
    int already = 0;
    nlohmann::json answers = nlohmann::json::array();
};

// Importing again adds what is new: a task of the same name is left as it stands, whoever has changed it since.
void register_task(rest& web, nlohmann::json const& task, std::string const& target, tally& so_far,
                   std::vector<std::string>& problems)
{
    auto const name = task.is_object() ? harmless(cell(task, "name")) : "?";
    try {
        so_far.answers.push_back(web.send(http::verb::post, target, task));
        ++so_far.registered;
    } catch (request_failed const& refused) {
        if (refused.status() == 0)
            throw;
        if (refused.status() == 409)
            ++so_far.already;
        else
            problems.push_back(name + ": " + harmless(refused.what()));
    }
}

void run(options const& how, common_options const& common, int& status)
{
    if (!how.how.zone.empty() && !schedule::zone_exists(how.how.zone))
        throw CLI::ValidationError("--zone", how.how.zone + " is not a time zone");
    auto const text = read_text(how.file);
    auto found = looks_like_json(text) ? from_json(how.file, text) : from_crontab(how, text);
    rest web(common);
    tally so_far;
    auto const target = std::string("/api/v1/tasks") + (how.allow_unserved ? "?allow_unserved=true" : "");
    for (auto const& task : found.tasks)
        register_task(web, task, target, so_far, found.problems);
    if (common.json)
        print_json(std::cout,
                   {{"registered", so_far.answers}, {"already", so_far.already}, {"refused", found.problems}});
    else
        std::cout << so_far.registered << " registered, " << so_far.already << " there already, "
                  << found.problems.size() << " refused\n";
    for (auto const& problem : found.problems)
        std::cerr << how.file << ": " << problem << '\n';
    if (!found.problems.empty())
        status = status_failed;
}

} // namespace

void add_task_import(CLI::App& task, common_options const& common, int& status)
{
    auto* const command = task.add_subcommand("import", "Register the tasks of a crontab(5) file or of a JSON file");
    auto const how = std::make_shared<options>();
    command->add_option("file", how->file, "A crontab, or JSON: one definition or an array")
        ->required()
        ->check(CLI::ExistingFile);
    command->add_option("--form", how->form, "Of a crontab: user (no user column), system, or guess by its path")
        ->capture_default_str()
        ->check(CLI::IsMember({"guess", "user", "system"}));
    command->add_option("--service", how->how.service, "Whose clients run a crontab's lines")->capture_default_str();
    command->add_option("--zone", how->how.zone, "Of a crontab without CRON_TZ (default: this machine's)");
    command->add_option("--project", how->how.project, "Of a crontab's tasks")->capture_default_str();
    command->add_flag("--disabled", how->how.disabled, "Register a crontab's tasks without letting them fire");
    command->add_flag("--allow-unserved", how->allow_unserved, "Although no live client serves the handlers");
    command->callback([how, &common, &status] { run(*how, common, status); });
}

} // namespace baton::cli
