// baton dev: trigger, web and agent in one process, on an embedded SQLite file and loopback.

#include "agent/agent.hpp"
#include "agent/check.hpp"
#include "cli/check.hpp"
#include "cli/commands.hpp"
#include "cli/process.hpp"
#include "cli/trigger_process.hpp"
#include "cli/web_process.hpp"
#include "libs/base/log.hpp"
#include "libs/base/printable.hpp"
#include "libs/base/private_file.hpp"

#include <boost/asio/post.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

namespace baton::cli {

namespace {

constexpr duration dev_grace = 60s;
constexpr duration join_limit = 5s;
constexpr duration join_poll = 10ms;

struct dev_options {
    std::string config;
    std::string data;
    std::vector<std::string> crontabs;
    bool execute = false;
    bool check = false;
};

dev_config read(dev_options const& chosen, std::vector<std::string>& taken)
{
    dev_config defaults;
    defaults.agent.crontabs = chosen.crontabs;
    defaults.agent.execute = chosen.execute;
    auto config = load(chosen.config, noting(process_environment(), taken), defaults);
    if (!chosen.data.empty())
        config.data = chosen.data;
    return config;
}

trigger_config trigger_of(dev_config const& dev)
{
    trigger_config config;
    config.listen.port = dev.trigger;
    config.database.url = "sqlite:" + (std::filesystem::absolute(dev.data) / "baton.db").string();
    config.node.name = host_name();
    return config;
}

web_config web_of(dev_config const& dev, trigger_config const& trigger)
{
    web_config config;
    config.listen.port = dev.web;
    config.database = trigger.database;
    return config;
}

// Trigger, web and agent; the agent has threads of its own.
class all_in_one {
public:
    all_in_one(measured_loop& loop, time_source& time, random_source& random, dev_config const& chosen)
        : loop_(loop),
          time_(time),
          trigger_(loop, time, random, trigger_of(chosen)),
          web_(loop.context(), time, random, web_of(chosen, trigger_of(chosen))),
          agent_(agent_of(chosen))
    {
        agent::install(agent_, chosen.agent, time);
    }

    ~all_in_one()
    {
        if (stopper_.joinable())
            stopper_.join();
    }

    all_in_one(all_in_one const&) = delete;
    all_in_one& operator=(all_in_one const&) = delete;

    awaitable<void> run()
    {
        using namespace asio::experimental::awaitable_operators;
        trigger_.when_open([this] { agent_.start(); }); // earlier it would only be refused
        std::exception_ptr trigger_failure;
        std::exception_ptr web_failure;
        co_await (watched(trigger_.run(), trigger_failure) && watched(serve_web(), web_failure));
        if (auto const failure = trigger_failure ? trigger_failure : web_failure)
            std::rethrow_exception(failure);
    }

    // The agent stops first, while a node can take its last results. That blocks, so it has a thread.
    void stop()
    {
        stopping_ = true;
        stopper_ = std::thread([this] {
            agent_.stop();
            asio::post(loop_.executor(), [this] {
                trigger_.stop();
                web_.stop();
            });
        });
    }

private:
    client::service_options agent_of(dev_config const& chosen) const
    {
        auto options = agent::options_of(chosen.agent);
        options.triggers = {trigger_.address()};
        return options;
    }

    // The port of web is bound, and connections wait until the agent has joined: before that web would refuse tasks for
    // its handlers.
    awaitable<void> serve_web()
    {
        auto const limit = time_.now() + join_limit;
        while (!stopping_ && trigger_.clients() == 0 && time_.now() < limit)
            co_await time_.sleep_for(join_poll);
        if (!stopping_)
            co_await web_.open();
        if (!stopping_)
            std::cout << "baton is at " << web_.address() << " (Ctrl-C ends it)" << std::endl;
        co_await web_.run();
    }

    // Neither runs without the other.
    awaitable<void> watched(awaitable<void> part, std::exception_ptr& failure)
    {
        co_await kept(std::move(part), failure);
        stopping_ = true;
        trigger_.stop();
        web_.stop();
    }

    measured_loop& loop_;
    time_source& time_;
    bool stopping_ = false;
    trigger_process trigger_;
    web_process web_;
    client::service agent_;
    std::thread stopper_;
};

// False if a command of the agent cannot start.
bool check_dev(std::string const& file, dev_config const& config)
{
    auto const found = agent::check(config.agent);
    for (auto const& problem : found.problems)
        std::cerr << "baton: " << printable(problem) << '\n';
    if (found.problems.empty())
        report_check(file, config, found.handlers);
    return found.problems.empty();
}

void run_dev(dev_options const& chosen, int& status)
{
    std::vector<std::string> taken;
    auto const config = read(chosen, taken);
    if (chosen.check) {
        if (!check_dev(chosen.config, config))
            status = status_failed;
        return report_taken(taken);
    }
    make_private_folder(config.data);
    log::start("dev", config.log_level);
    log_taken(taken);
    raise_file_limit();
    measured_loop loop("work");
    system_time time;
    seeded_random random(entropy());
    all_in_one all(loop, time, random, config);
    run_until_stopped(
        loop, all.run(), [&all] { all.stop(); }, dev_grace);
}

} // namespace

void add_dev(CLI::App& program, int& status)
{
    auto* const command =
        program.add_subcommand("dev", "Run trigger, web and agent in one process on an embedded database");
    auto const chosen = std::make_shared<dev_options>();
    command->add_option("--config", chosen->config, "JSON file; BATON_... variables override it")
        ->check(CLI::ExistingFile);
    command->add_option("--data", chosen->data, "Folder of baton.db, for this user alone (default: baton-data)");
    command->add_option("--crontab", chosen->crontabs, "Offer each line of these crontab(5) files as a handler")
        ->check(CLI::ExistingFile);
    command->add_flag("--execute", chosen->execute, "Run the crontab's commands; without it they are only logged");
    command->add_flag("--check", chosen->check, "Check the configuration and the agent's commands, and end");
    command->footer("Example: baton dev --data /tmp/baton");
    command->callback([chosen, &status] { run_dev(*chosen, status); });
}

} // namespace baton::cli
