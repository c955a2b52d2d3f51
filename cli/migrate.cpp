// baton migrate: brings a database to this program's version.

#include "cli/commands.hpp"
#include "cli/config/documents.hpp"
#include "cli/process.hpp"
#include "cli/stores.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct migrate_options {
    std::string config;
    std::string database;
};

// The database that a configuration of trigger or web names, unless --database does.
storage::location location_of(migrate_options const& given)
{
    auto from = reader::open(given.config, process_environment());
    trigger_config config;
    bind(from, config);
    if (!given.database.empty())
        config.database.url = given.database;
    check_database(from, config.database);
    return config.database.where();
}

awaitable<void> migrate_and_report(stores const& all, std::string where)
{
    int steps = 0;
    std::function<void(std::string const&)> const report = [&steps](std::string const& step) {
        ++steps;
        std::cout << "applied " << step << std::endl;
    };
    co_await migrate(all, report);
    if (steps == 0)
        std::cout << where << " is up to date" << std::endl;
}

void run_migrate(migrate_options const& given)
{
    auto const where = location_of(given);
    asio::io_context loop(1);
    system_time time;
    auto const all = open_stores(where, {.sessions = 1, .lease_limit = 10s}, time);
    std::exception_ptr failure;
    asio::co_spawn(loop, kept(migrate_and_report(all, where.text()), failure), asio::detached);
    loop.run();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace

void add_migrate(CLI::App& program, int&)
{
    auto* const command = program.add_subcommand("migrate", "Bring the database to this program's version");
    auto const given = std::make_shared<migrate_options>();
    command->add_option("--config", given->config, "Configuration of a trigger or web whose database it is")
        ->check(CLI::ExistingFile);
    command->add_option("--database", given->database, "The database: mysql://user@host/name or sqlite:/path/baton.db");
    command->callback([given] { run_migrate(*given); });
}

} // namespace baton::cli
