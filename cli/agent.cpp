// baton agent: a client whose handlers are commands of its own configuration.

#include "agent/agent.hpp"

#include "cli/commands.hpp"
#include "cli/config/documents.hpp"
#include "libs/base/log.hpp"

#include <memory>

namespace baton::cli {

namespace {

struct options {
    std::string config;
    std::vector<std::string> crontabs;
    bool execute = false;
    bool check = false;
};

void run(options const& how)
{
    agent_config defaults;
    if (!how.crontabs.empty()) {
        // What `baton task import` assumes as well, so that a machine's cron moves over without a configuration.
        defaults.agent.service.name = "crontab";
        defaults.agent.service.triggers = {"http://127.0.0.1:" + std::to_string(trigger_port)};
    }
    defaults.agent.crontabs = how.crontabs;
    defaults.agent.execute = how.execute;
    auto const config = load(how.config, process_environment(), defaults);
    system_time time;
    if (how.check) {
        agent::make_handlers(config.agent, time);
        return;
    }
    log::start("agent", config.log_level);
    client::service service(config.agent.service);
    agent::install(service, config.agent, time);
    service.run();
}

} // namespace

void add_agent(CLI::App& program, int&)
{
    auto* const command = program.add_subcommand("agent", "Run a client whose handlers are commands");
    auto const how = std::make_shared<options>();
    command->add_option("--config", how->config, "JSON file; BATON_... variables go over it")->check(CLI::ExistingFile);
    command->add_option("--crontab", how->crontabs, "Offer each line of these crontab(5) files as a handler")
        ->check(CLI::ExistingFile);
    command->add_flag("--execute", how->execute, "Run the crontab's commands; without it they are only told");
    command->add_flag("--check", how->check, "Only check the configuration");
    command->callback([how] { run(*how); });
}

} // namespace baton::cli
