// baton task import: makes tasks of crontab(5) files or of JSON files.

#include "cli/commands.hpp"
#include "cli/importer.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"
#include "libs/schedule/time_zone.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct import_options {
    std::vector<std::string> files;
    std::string form = "guess";
    import_settings crontab;
    import_mode mode;
};

void run_import(import_options const& options, common_options const& common, int& status)
{
    if (!options.crontab.zone.empty() && !schedule::zone_exists(options.crontab.zone))
        throw CLI::ValidationError("--zone", options.crontab.zone + " is not a time zone");
    std::vector<import_input> inputs;
    for (auto const& file : options.files) {
        inputs.push_back(read_import(file, options.form, options.crontab));
        if (options.mode.prune && inputs.back().origin.empty())
            throw CLI::ValidationError("--prune", "is for a crontab, and " + file + " is JSON");
        if (options.crontab.enable && inputs.back().origin.empty())
            throw CLI::ValidationError("--enable", "is for a crontab, and " + file +
                                                       " is JSON: write \"enabled\": true into its definitions");
    }
    rest web(common);
    importer tasks(web, options.mode);
    for (auto const& input : inputs)
        if (!tasks.take_all(input, options.crontab))
            break;

    if (common.json) {
        print_json(std::cout, tasks.report());
    } else {
        for (auto const& line : tasks.said())
            std::cout << printable(line) << '\n';
        std::cout << tasks.summary() << '\n';
    }
    for (auto const& problem : tasks.refused())
        std::cerr << printable(problem) << '\n';
    if (!tasks.complete())
        status = status_failed;
}

void add_options(CLI::App& command, import_options& options)
{
    command
        .add_option("file", options.files,
                    "Crontabs, or JSON: one definition, an array, or what `baton task list --json` printed")
        ->required()
        ->check(CLI::ExistingFile);
    command
        .add_option("--form", options.form, "Form of a crontab: user (no user column), system, or guess by its path")
        ->capture_default_str()
        ->check(CLI::IsMember({"guess", "user", "system"}));
    command
        .add_option("--service", options.crontab.service,
                    "Service whose clients run a crontab's commands, or project/service")
        ->capture_default_str();
    command.add_option("--zone", options.crontab.zone,
                       "Time zone of a crontab without CRON_TZ (default: this machine's)");
    command
        .add_option("--project", options.crontab.project,
                    "Project of a crontab's tasks, and of the agent that runs them")
        ->capture_default_str();
    auto* const disabled =
        command.add_flag("--disabled", options.crontab.disabled, "Register a crontab's new tasks as disabled");
    auto* const update =
        command.add_flag("--update", options.mode.update, "Change registered tasks that differ from the file");
    command
        .add_flag("--enable", options.crontab.enable,
                  "With --update: also enable the tasks of a crontab that are disabled")
        ->needs(update)
        ->excludes(disabled);
    command.add_flag("--prune", options.mode.prune, "Disable the tasks of this crontab that have no line any more");
    command.add_flag("--dry-run", options.mode.dry_run, "Change nothing, only say what would change");
    command.add_flag("--allow-unserved", options.mode.allow_unserved,
                     "Register tasks even if no live client serves their handlers");
}

} // namespace

void add_task_import(CLI::App& task, common_options const& common, int& status)
{
    auto* const command = task.add_subcommand("import", "Register the tasks of crontab(5) files or of JSON files");
    auto const options = std::make_shared<import_options>();
    add_options(*command, *options);
    command->footer("The commands of a crontab are not sent: a task names a handler of `baton agent --crontab`.\n"
                    "Example: baton task import /etc/crontab --zone Europe/Berlin --dry-run");
    command->callback([options, &common, &status] {
        part_service(options->crontab.service, options->crontab.project);
        run_import(*options, common, status);
    });
}

} // namespace baton::cli
