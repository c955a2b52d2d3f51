// baton cron explain: what an expression means and when it fires next.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct options {
    std::string expression;
    std::string zone = "UTC";
    int count = 5;
};

void explain(options const& how, common_options const& common)
{
    auto const answer = rest(common).send(http::verb::post, "/api/v1/cron/explain",
                                          {{"cron", how.expression}, {"zone", how.zone}, {"count", how.count}});
    if (common.json)
        return print_json(std::cout, answer);
    std::cout << cell(answer, "description") << '\n';
    for (auto const& firing : answer.at("next"))
        std::cout << time_cell(firing, "at") << " UTC, local " << cell(firing, "local")
                  << (firing.value("clock_changed", false) ? " (after a change of the clock)" : "") << '\n';
}

} // namespace

void add_cron(CLI::App& program, common_options const& common)
{
    auto& group = *program.add_subcommand("cron", "Cron expressions");
    group.require_subcommand(1)->fallthrough();
    auto* const command = group.add_subcommand("explain", "Say what an expression means and when it fires next");
    auto const how = std::make_shared<options>();
    command->add_option("expression", how->expression, "In quotes, such as '*/5 * * * *'")->required();
    command->add_option("--zone", how->zone, "IANA time zone")->capture_default_str();
    command->add_option("--count", how->count, "How many firings")->capture_default_str();
    command->callback([how, &common] { explain(*how, common); });
}

} // namespace baton::cli
