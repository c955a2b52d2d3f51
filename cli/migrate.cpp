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
    std::string name_space = "master";
    std::int64_t least_epoch = 0;
};

// The database that a configuration of trigger or web names, unless --database does.
storage::location location_of(migrate_options& given)
{
    auto from = reader::open(given.config, process_environment());
    trigger_config config;
    bind(from, config);
    if (!given.database.empty())
        config.database.url = given.database;
    check_database(from, config.database);
    from.report();
    if (!given.database.empty() && !storage::parse_location(given.database).password.empty())
        throw config_error(
            "--database: every user of this host can read the password in it; give the URL in the variable "
            "BATON_DATABASE_URL, or leave the password out and name its file in "
            "BATON_DATABASE_PASSWORD_FILE");
    given.name_space = config.node.election.name_space;
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

awaitable<void> raise_and_report(stores const& all, migrate_options const& given)
{
    auto const done = co_await lease::raise_epoch(*all.leasing, given.name_space, given.least_epoch);
    if (done.raised)
        std::cout << "raised the epoch of '" << given.name_space << "' from " << done.before << " to "
                  << given.least_epoch << "; the next term has a higher one" << std::endl;
    else
        std::cout << "the epoch of '" << given.name_space << "' is " << done.before << " already" << std::endl;
}

awaitable<void> work_on(stores const& all, migrate_options const& given, std::string where)
{
    co_await migrate_and_report(all, std::move(where));
    if (given.least_epoch != 0)
        co_await raise_and_report(all, given);
}

void run_migrate(migrate_options given)
{
    auto const where = location_of(given);
    asio::io_context loop(1);
    system_time time;
    auto const all = open_stores(where, {.sessions = 1, .lease_limit = 10s}, time);
    std::exception_ptr failure;
    asio::co_spawn(loop, kept(work_on(all, given, where.text()), failure), asio::detached);
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
    command->add_option("--database", given->database,
                        "The database: mysql://user@host/name or sqlite:/path/baton.db, without a password");
    command
        ->add_option("--raise-epoch", given->least_epoch,
                     "After the database was restored: the next term gets an epoch above this one")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 62));
    command->footer("Example: baton migrate --config /etc/baton/trigger.json");
    command->callback([given] { run_migrate(*given); });
}

} // namespace baton::cli
