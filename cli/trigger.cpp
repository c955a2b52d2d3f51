// baton trigger: a node of the cluster.

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
};

void run_trigger(trigger_options const& chosen)
{
    auto const config = load<trigger_config>(chosen.config, process_environment());
    if (chosen.check)
        return;
    log::start("trigger", config.log_level);
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
    command->add_flag("--check", chosen->check, "Only check the configuration");
    command->callback([chosen] { run_trigger(*chosen); });
}

} // namespace baton::cli
