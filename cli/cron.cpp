// baton cron explain: describes an expression and lists its next firings.

#include "cli/commands.hpp"
#include "cli/cron_options.hpp"
#include "cli/firings.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct explain_options {
    std::string expression;
    std::string zone = "UTC";
    cron_options rules;
    std::string project;
    std::string name;
    int count = 5;
};

void explain(explain_options const& options, common_options const& common)
{
    nlohmann::json wanted{{"cron", options.expression}, {"zone", options.zone}, {"count", options.count}};
    write_cron_options(wanted, options.rules);
    if (!options.project.empty())
        wanted["project"] = options.project;
    if (!options.name.empty())
        wanted["name"] = options.name;
    auto const answer = rest(common).send(http::verb::post, "/api/v1/cron/explain", wanted);
    if (common.json)
        return print_json(std::cout, answer);
    std::cout << cell(answer, "description") << '\n';
    auto const at = times_of(common);
    for (auto const& firing : answer.at("next"))
        std::cout << "next: " << firing_text(firing, options.zone, at) << '\n';
    print_notes(std::cout, answer);
}

} // namespace

void add_cron(CLI::App& program, common_options const& common)
{
    auto& group = *program.add_subcommand("cron", "Cron expressions");
    group.require_subcommand(1)->fallthrough();
    group.footer("Example: baton cron explain '0 2 * * 1-5'");
    auto* const command = group.add_subcommand("explain", "Describe an expression and list its next firings");
    auto const given = std::make_shared<explain_options>();
    command->add_option("expression", given->expression, "Cron expression in quotes, such as '*/5 * * * *'")
        ->required();
    command->add_option("--zone", given->zone, "IANA time zone of the expression")->capture_default_str();
    add_cron_options(*command, given->rules, nullptr);
    command->add_option("--name", given->name, "Name of a task, from which the values of H follow");
    command->add_option("--project", given->project, "Project of that task");
    command->add_option("--count", given->count, "Number of firings")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000));
    command->footer("Example: baton cron explain '*/5 * * * *' --zone Europe/Berlin");
    command->callback([given, &common] { explain(*given, common); });
}

} // namespace baton::cli
