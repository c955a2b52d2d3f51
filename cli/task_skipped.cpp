// baton task skipped.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"

#include <iostream>

namespace baton::cli {

void add_task_skipped(CLI::App& task, common_options const& common)
{
    auto* const command =
        task.add_subcommand("skipped", "List the ranges of late firings that the task's misfire policy skipped");
    command->footer("Up to 20 firings that are skipped together are executions: baton executions --state skipped.\n"
                    "Example: baton task skipped close-day");
    auto const which = add_task_selection(*command);
    auto const limit = std::make_shared<std::size_t>(50);
    command->add_option("--limit", *limit, "Number of ranges")->capture_default_str()->check(CLI::Range(1, 1'000'000));
    command->callback([which, limit, &common] {
        rest web(common);
        auto const id = web.past_task_id(which->task, which->project, std::cerr);
        auto const found = web.page("/api/v1/tasks/" + id + "/skipped", *limit);
        if (common.json)
            return print_json(std::cout, found);
        auto const at = times_of(common);
        table shown({at.title("FIRST"), at.title("LAST"), "FIRINGS", "VERSION", "REASON"});
        for (auto const& each : found.at("items"))
            shown.add({at.cell(each, "first_at"), at.cell(each, "last_at"), cell(each, "firings"),
                       cell(each, "task_version"), cell(each, "reason")});
        shown.print(std::cout);
    });
}

} // namespace baton::cli
