// baton trigger: a node of the cluster.

#include "cli/check.hpp"
#include "cli/commands.hpp"
#include "cli/process.hpp"
#include "cli/trigger_process.hpp"
#include "libs/base/log.hpp"

#include <memory>

namespace baton::cli {

namespace {

constexpr duration after_drain = 5s;

struct trigger_options {
    std::string config;
    bool check = false;
    bool check_database = false;
};

void run_trigger(trigger_options const& chosen)
{
    std::vector<std::string> taken;
    auto const config = load<trigger_config>(chosen.config, noting(process_environment(), taken));
    if (chosen.check || chosen.check_database) {
        report_check(chosen.config, config, chosen.check_database);
        return report_taken(taken);
    }
    log::start("trigger", config.log_level);
    log_taken(taken);
    raise_file_limit();
    measured_loop loop("work");
    system_time time;
    seeded_random random(entropy());
    trigger_process process(loop, time, random, config);
    run_until_stopped(
        loop, process.run(), [&process] { process.stop(); }, config.node.drain + after_drain);
}

} // namespace

void add_trigger(CLI::App& program, int&)
{
    auto* const command = program.add_subcommand("trigger", "Run a node of the cluster");
    auto const chosen = std::make_shared<trigger_options>();
    command->add_option("--config", chosen->config, "JSON file; BATON_... variables override it")
        ->check(CLI::ExistingFile);
    command->add_flag("--check", chosen->check, "Check the configuration and end");
    command->add_flag("--check-database", chosen->check_database,
                      "Check the configuration, and that the database answers and has the right version; then end");
    command->footer("Example: baton trigger --config /etc/baton/trigger.json --check-database");
    command->callback([chosen] { run_trigger(*chosen); });
}

} // namespace baton::cli
