// baton task skip-next.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"
#include "cli/this_user.hpp"
#include "libs/protocol/firing_skips.hpp"

#include <iostream>

namespace baton::cli {

namespace {

struct skip_choice {
    int count = 1;
    std::string expected;
    std::string by;
    std::string reason;
    bool undo = false;
};

nlohmann::json ask_for_skips(rest& web, std::string const& path, skip_choice const& chosen)
{
    if (chosen.undo)
        return web.send(http::verb::del,
                        path + (chosen.expected.empty() ? "" : "?expected=" + http::percent_encode(chosen.expected)));
    nlohmann::json body{{"count", chosen.count}, {"by", chosen.by.empty() ? this_user() : chosen.by}};
    if (!chosen.expected.empty())
        body["expected"] = chosen.expected;
    if (!chosen.reason.empty())
        body["reason"] = chosen.reason;
    return web.send(http::verb::post, path, body);
}

void tell_skips(nlohmann::json const& answer, bool undone, times const& at)
{
    auto const name = answer.at("name").get<std::string>();
    for (auto const& firing : answer.at(undone ? "restored" : "skipped"))
        std::cout << "task " << name << (undone ? ": fires again at " : ": skips the firing of ")
                  << at.text(nlohmann::json{{"at", firing}}, "at") << '\n';
    std::cout << "task " << name << ": the next firing is "
              << (answer.at("next_at").is_null() ? std::string("not known") : "at " + at.text(answer, "next_at"))
              << '\n';
}

} // namespace

void add_task_skip_next(CLI::App& task, common_options const& common)
{
    auto* const command =
        task.add_subcommand("skip-next", "Skip the next firing of a task, or the next few; the task stays enabled");
    command->footer("Example: baton task skip-next close-day --reason 'the month is closed by hand'");
    auto const which = add_task_selection(*command);
    auto const chosen = std::make_shared<skip_choice>();
    auto* const count = command->add_option("--count", chosen->count, "Number of firings")
                            ->capture_default_str()
                            ->check(CLI::Range(1, static_cast<int>(protocol::most_skips)));
    command->add_option(
        "--expected", chosen->expected,
        "The firing that must be the next one, such as 2026-12-24T18:00:00Z; with it the command can be "
        "repeated. With --undo: the only one that is to be restored");
    auto* const reason = command->add_option("--reason", chosen->reason, "Why; others see it at the skipped firing");
    auto* const by = command->add_option("--by", chosen->by, "Who asks (default: the user of this shell)");
    command->add_flag("--undo", chosen->undo, "Take back the skips that lie ahead")
        ->excludes(count)
        ->excludes(reason)
        ->excludes(by);
    command->callback([which, chosen, &common] {
        rest web(common);
        auto const id = web.task_id(which->task, which->project);
        auto const answer = ask_for_skips(web, "/api/v1/tasks/" + id + "/skip-next", *chosen);
        if (common.json)
            return print_json(std::cout, answer);
        tell_skips(answer, chosen->undo, times_of(common));
    });
}

} // namespace baton::cli
