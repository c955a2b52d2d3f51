// baton task import: registers the tasks of a crontab(5) file or of a JSON file.

#include "cli/commands.hpp"
#include "cli/config/reader.hpp"
#include "cli/crontab_tasks.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"
#include "libs/schedule/time_zone.hpp"

#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

namespace baton::cli {

namespace {

struct import_options {
    std::string file;
    std::string form = "guess";
    import_settings crontab;
    bool allow_unserved = false;
};

struct import_input {
    std::vector<nlohmann::json> tasks;
    std::vector<std::string> problems;
};

std::string read_text(std::string const& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in.good() && in.peek() != std::ifstream::traits_type::eof()) // operator<< fails on an empty file
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

import_input from_json(std::string const& file, std::string const& text)
{
    auto const document = nlohmann::json::parse(text, nullptr, false, true);
    if (document.is_discarded())
        throw config_error(file + ": is not JSON");
    import_input input;
    if (document.is_object())
        input.tasks.push_back(document);
    else
        input.tasks.assign(document.begin(), document.end());
    return input;
}

import_input from_crontab(import_options const& options, std::string const& text)
{
    auto const form = options.form == "system" ? schedule::crontab_form::system
                      : options.form == "user" ? schedule::crontab_form::user
                                               : schedule::guess_form(options.file);
    auto const parsed = schedule::parse_crontab(text, form, options.file);
    import_input input;
    for (auto const& problem : parsed.problems)
        input.problems.push_back("line " + std::to_string(problem.line) + ": " + problem.why);
    auto settings = options.crontab;
    if (settings.zone.empty())
        settings.zone = host_zone();
    for (auto const& entry : parsed.entries)
        input.tasks.push_back(task_of(entry, options.file, settings));
    return input;
}

struct import_tally {
    int registered = 0;
    int already = 0;
    nlohmann::json answers = nlohmann::json::array();
};

// A task of the same name stays as it is, so importing a file again adds its new tasks only.
void register_task(rest& web, nlohmann::json const& task, std::string const& target, import_tally& tally,
                   std::vector<std::string>& problems)
{
    auto const name = task.is_object() ? cell(task, "name") : "?";
    try {
        tally.answers.push_back(web.send(http::verb::post, target, task));
        ++tally.registered;
    } catch (request_failed const& refused) {
        if (refused.status() == 0)
            throw;
        if (refused.status() == 409)
            ++tally.already;
        else
            problems.push_back(name + ": " + printable(refused.what()));
    }
}

void run_import(import_options const& options, common_options const& common, int& status)
{
    if (!options.crontab.zone.empty() && !schedule::zone_exists(options.crontab.zone))
        throw CLI::ValidationError("--zone", options.crontab.zone + " is not a time zone");
    auto const text = read_text(options.file);
    auto input = looks_like_json(text) ? from_json(options.file, text) : from_crontab(options, text);
    rest web(common);
    import_tally tally;
    auto const target = std::string("/api/v1/tasks") + (options.allow_unserved ? "?allow_unserved=true" : "");
    for (auto const& task : input.tasks)
        register_task(web, task, target, tally, input.problems);
    if (common.json)
        print_json(std::cout, {{"registered", tally.answers}, {"already", tally.already}, {"refused", input.problems}});
    else
        std::cout << tally.registered << " registered, " << tally.already << " already registered, "
                  << input.problems.size() << " refused\n";
    for (auto const& problem : input.problems)
        std::cerr << printable(options.file + ": " + problem) << '\n';
    if (!input.problems.empty())
        status = status_failed;
}

} // namespace

void add_task_import(CLI::App& task, common_options const& common, int& status)
{
    auto* const command = task.add_subcommand("import", "Register the tasks of a crontab(5) file or of a JSON file");
    auto const options = std::make_shared<import_options>();
    command->add_option("file", options->file, "A crontab, or JSON: one definition or an array")
        ->required()
        ->check(CLI::ExistingFile);
    command
        ->add_option("--form", options->form, "Form of a crontab: user (no user column), system, or guess by its path")
        ->capture_default_str()
        ->check(CLI::IsMember({"guess", "user", "system"}));
    command->add_option("--service", options->crontab.service, "Service whose clients run a crontab's commands")
        ->capture_default_str();
    command->add_option("--zone", options->crontab.zone,
                        "Time zone of a crontab without CRON_TZ (default: this machine's)");
    command
        ->add_option("--project", options->crontab.project,
                     "Project of a crontab's tasks, and of the agent that runs them")
        ->capture_default_str();
    command->add_flag("--disabled", options->crontab.disabled, "Register a crontab's tasks as disabled");
    command->add_flag("--allow-unserved", options->allow_unserved,
                      "Register tasks even if no live client serves their handlers");
    command->footer("Example: baton task import /etc/crontab --zone Europe/Berlin");
    command->callback([options, &common, &status] { run_import(*options, common, status); });
}

} // namespace baton::cli
