// baton services settings|set, baton projects settings|set: what holds for all tasks of a service or project.

#include "cli/commands.hpp"
#include "cli/default_options.hpp"
#include "cli/rate_options.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"
#include "libs/protocol/concurrency.hpp"
#include "libs/protocol/service_key.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct settings_choice {
    std::string noun; // service or project
    std::string name;
    std::string project; // of the service
    int concurrency = -1;
    rate_options rate;
    default_options defaults;
};

std::string settings_path(settings_choice const& chosen)
{
    if (chosen.noun == "project")
        return "/api/v1/projects/" + http::percent_encode(chosen.name) + "/settings";
    auto const of = service_named(chosen.name, chosen.project);
    return "/api/v1/services/" + http::percent_encode(of.project) + "/" + http::percent_encode(of.service) +
           "/settings";
}

void print_settings(settings_choice const& chosen, nlohmann::json const& found, common_options const& common)
{
    if (common.json)
        return print_json(std::cout, found);
    auto const& limits = found.at("settings").at("limits");
    auto const concurrency = limits.at("concurrency").get<int>();
    std::cout << chosen.noun << ' ' << chosen.name << ", version " << found.at("version").dump() << '\n'
              << "  concurrency: " << (concurrency == 0 ? "-" : std::to_string(concurrency)) << '\n'
              << "  rate: " << rate_text(limits.at("rate")) << '\n';
    auto const defaults = found.at("settings").value("defaults", nlohmann::json::object());
    for (auto const& [member, value] : defaults.items())
        std::cout << "  default " << member << ": " << printable_json(value.dump()) << '\n';
}

void show_settings(settings_choice const& chosen, common_options const& common)
{
    print_settings(chosen, rest(common).get(settings_path(chosen)), common);
}

// The settings that stand; none for a service or project that has no document yet.
nlohmann::json present_settings(rest& web, settings_choice const& chosen)
{
    try {
        return web.get(settings_path(chosen));
    } catch (request_failed const& failure) {
        if (failure.status() != 404)
            throw;
        return {{"version", 0}, {"settings", nlohmann::json::object()}};
    }
}

void set_settings(settings_choice const& chosen, common_options const& common)
{
    if (chosen.concurrency < 0 && chosen.rate.rate.empty() && chosen.defaults.given.empty() &&
        chosen.defaults.removed.empty())
        throw CLI::ValidationError(chosen.noun + "s set",
                                   "nothing to change: give --concurrency, --rate, --default or --no-default");
    rest web(common);
    auto const present = present_settings(web, chosen);
    auto wanted = present.at("settings");
    if (chosen.concurrency >= 0)
        wanted["limits"]["concurrency"] = chosen.concurrency;
    if (auto const rate = rate_of(chosen.rate); !rate.is_null())
        wanted["limits"]["rate"] = rate;
    change_defaults(wanted, chosen.defaults);
    print_settings(chosen, web.put(settings_path(chosen), wanted, present.at("version").get<int>()), common);
}

CLI::App* add_command(CLI::App& group, std::string const& name, std::string const& help, settings_choice& chosen)
{
    auto* const command = group.add_subcommand(name, help);
    bool const service = chosen.noun == "service";
    command
        ->add_option(chosen.noun, chosen.name, "Name of the " + chosen.noun + (service ? ", or project/service" : ""))
        ->required();
    if (service)
        command->add_option("--project", chosen.project, "Project of the service (default: default)");
    return command;
}

} // namespace

void add_service_settings(CLI::App& group, std::string const& noun, common_options const& common)
{
    auto const shown = std::make_shared<settings_choice>();
    shown->noun = noun;
    auto* const show = add_command(group, "settings",
                                   "Show the settings of a " + noun + ": the limits of all its tasks together", *shown);
    show->footer("Example: baton " + noun + "s settings billing");
    show->callback([shown, &common] { show_settings(*shown, common); });

    auto const chosen = std::make_shared<settings_choice>();
    chosen->noun = noun;
    auto* const set =
        add_command(group, "set", "Change settings of a " + noun + "; those that no option names stay", *chosen);
    set->footer("Example: baton " + noun + "s set billing --concurrency 20 --rate 100/1m");
    set->add_option("--concurrency", chosen->concurrency,
                    "At most so many executions of the " + noun + " are under way at the same time; 0: no limit")
        ->check(CLI::Range(0, protocol::most_concurrent));
    add_rate_options(*set, chosen->rate, "the " + noun);
    add_default_options(*set, chosen->defaults);
    set->callback([chosen, &common] { set_settings(*chosen, common); });

    auto const applied = std::make_shared<settings_choice>();
    applied->noun = noun;
    auto* const apply = add_command(
        group, "apply-defaults",
        "Give the tasks of a " + noun + " its present defaults, where they have no value of their own", *applied);
    apply->footer("Example: baton " + noun + "s apply-defaults billing --dry-run");
    auto const dry = std::make_shared<bool>(false);
    apply->add_flag("--dry-run", *dry, "Say only what would change");
    apply->callback([applied, dry, noun, &common] {
        apply_defaults(noun == "project" ? protocol::service_key{applied->name, ""}
                                         : service_named(applied->name, applied->project),
                       *dry, common);
    });
}

} // namespace baton::cli
