// baton web: REST and the page.

#include "cli/check.hpp"
#include "cli/commands.hpp"
#include "cli/process.hpp"
#include "cli/web_process.hpp"
#include "libs/base/log.hpp"

#include <memory>

namespace baton::cli {

namespace {

constexpr duration web_grace = 10s;

struct web_options {
    std::string config;
    bool check = false;
    bool check_database = false;
};

void run_web(web_options const& chosen)
{
    std::vector<std::string> taken;
    auto const config = load<web_config>(chosen.config, noting(process_environment(), taken));
    if (chosen.check || chosen.check_database) {
        report_check(chosen.config, config, chosen.check_database);
        return report_taken(taken);
    }
    log::start("web", config.log_level);
    log_taken(taken);
    raise_file_limit();
    measured_loop loop("web");
    system_time time;
    seeded_random random(entropy());
    web_process process(loop.context(), time, random, config);
    run_until_stopped(
        loop, process.run(), [&process] { process.stop(); }, web_grace);
}

} // namespace

void add_web(CLI::App& program, int&)
{
    auto* const command = program.add_subcommand("web", "Serve the REST API and the page");
    auto const chosen = std::make_shared<web_options>();
    command->add_option("--config", chosen->config, "JSON file; BATON_... variables override it")
        ->check(CLI::ExistingFile);
    command->add_flag("--check", chosen->check, "Check the configuration and end");
    command->add_flag("--check-database", chosen->check_database,
                      "Check the configuration, and that the database answers and has the right version; then end");
    command->footer("Example: baton web --config /etc/baton/web.json --check-database");
    command->callback([chosen] { run_web(*chosen); });
}

} // namespace baton::cli
