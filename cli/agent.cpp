// baton agent: a client whose handlers are commands of its own configuration.

#include "agent/agent.hpp"

#include "agent/check.hpp"
#include "cli/check.hpp"
#include "cli/commands.hpp"
#include "cli/config/documents.hpp"
#include "libs/base/log.hpp"
#include "libs/base/printable.hpp"
#include "libs/base/process.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct agent_options {
    std::string config;
    std::vector<std::string> crontabs;
    std::string delivery;
    bool execute = false;
    bool check = false;
};

// False if a command cannot start.
bool check_agent(std::string const& file, agent_config const& config)
{
    auto const found = agent::check(config.agent);
    for (auto const& problem : found.problems)
        std::cerr << "baton: " << printable(problem) << '\n';
    if (found.problems.empty())
        std::cout << "ok: " << (file.empty() ? "the variables" : printable(file)) << ": service '"
                  << printable(config.agent.service.name) << "', " << found.handlers << " handlers, "
                  << config.agent.service.triggers.size() << " triggers (not called)\n";
    return found.problems.empty();
}

void run_agent(agent_options const& chosen, int& status)
{
    agent_config defaults;
    if (!chosen.crontabs.empty()) {
        // `baton task import` has the same defaults, so that a machine's cron moves over without a configuration.
        defaults.agent.service.name = "crontab";
        defaults.agent.service.triggers = {"http://127.0.0.1:" + std::to_string(trigger_port)};
    }
    defaults.agent.crontabs = chosen.crontabs;
    defaults.agent.execute = chosen.execute;
    std::vector<std::string> taken;
    auto const variables = noting(process_environment(), taken);
    environment const outside = [&](std::string const& name) {
        bool const given = name == variable_of("delivery") && !chosen.delivery.empty();
        return given ? chosen.delivery : variables(name);
    };
    auto const config = load(chosen.config, outside, defaults);
    if (chosen.check) {
        if (!check_agent(chosen.config, config))
            status = status_failed;
        return report_taken(taken);
    }
    system_time time;
    log::start("agent", config.log_level);
    log_taken(taken);
    raise_file_limit();
    client::service service(agent::options_of(config.agent));
    agent::install(service, config.agent, time);
    service.run();
}

} // namespace

void add_agent(CLI::App& program, int& status)
{
    auto* const command = program.add_subcommand("agent", "Run a client whose handlers are commands");
    auto const chosen = std::make_shared<agent_options>();
    command->add_option("--config", chosen->config, "JSON file; BATON_... variables override it")
        ->check(CLI::ExistingFile);
    command->add_option("--crontab", chosen->crontabs, "Offer each line of these crontab(5) files as a handler")
        ->check(CLI::ExistingFile);
    command
        ->add_option("--delivery", chosen->delivery,
                     "push: the nodes call this process; fetch: it fetches, and listens on no port")
        ->check(CLI::IsMember({"push", "fetch"}));
    command->add_flag("--execute", chosen->execute, "Run the crontab's commands; without it they are only logged");
    command->add_flag("--check", chosen->check,
                      "Check the configuration, and the commands' programs, users and folders, and end");
    command->footer("Example: baton agent --config /etc/baton/agent.json --check");
    command->callback([chosen, &status] { run_agent(*chosen, status); });
}

} // namespace baton::cli
