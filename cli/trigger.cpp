// baton trigger: a node of the cluster.

#include "cli/commands.hpp"
#include "cli/process.hpp"
#include "cli/trigger_process.hpp"
#include "libs/base/log.hpp"

#include <memory>

namespace baton::cli {

namespace {

constexpr duration after_drain = 5s;

struct options {
    std::string config;
    bool check = false;
};

void run(options const& how)
{
    auto const config = load<trigger_config>(how.config, process_environment());
    if (how.check)
        return;
    log::start("trigger", config.log_level);
    asio::io_context loop(1);
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
    auto const how = std::make_shared<options>();
    command->add_option("--config", how->config, "JSON file; BATON_... variables go over it")->check(CLI::ExistingFile);
    command->add_flag("--check", how->check, "Only check the configuration");
    command->callback([how] { run(*how); });
}

} // namespace baton::cli
