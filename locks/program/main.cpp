// baton-lock: creates the tables of locks in a database, and removes locks that were free for long.

#include "libs/base/log.hpp"
#include "libs/base/printable.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <baton/lock/store.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace {

// Exit status: 0 done, 1 refused or failed, 2 wrong usage.
constexpr int status_failed = 1;
constexpr int status_usage = 2;

struct options {
    std::string database;
    std::int64_t age_s = 86'400;
    bool json = false;
};

void add_database(CLI::App& command, options& given)
{
    command
        .add_option("--database", given.database,
                    "mysql://user@host/name or sqlite:/path/file.db; one with a password only in the variable")
        ->envname("BATON_DATABASE_URL")
        ->required();
}

// Every user of the host can read the arguments of a process.
bool has_password(std::string_view argument)
{
    auto const scheme = argument.find("://");
    if (scheme == std::string_view::npos)
        return false;
    auto const rest = argument.substr(scheme + 3);
    auto const authority = rest.substr(0, rest.find_first_of("/?#"));
    auto const at = authority.rfind('@');
    return at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos;
}

void migrate(options const& given)
{
    baton::lock::store(given.database).create_tables();
}

void reap(options const& given)
{
    baton::lock::store_options settings;
    settings.create_file = false;
    auto const removed = baton::lock::store(given.database, settings).reap(std::chrono::seconds(given.age_s));
    if (given.json)
        std::cout << "{\"removed\": " << removed << "}\n";
    else
        std::cout << removed << (removed == 1 ? " lock" : " locks") << " removed\n";
}

int run(int argc, char** argv)
{
    if (std::any_of(argv + 1, argv + argc, has_password)) {
        std::cerr << "baton-lock: every user of this host can read a password among the arguments; give the URL in the "
                     "variable BATON_DATABASE_URL\n";
        return status_usage;
    }
    options given;
    CLI::App program("baton-lock: the tables of distributed locks (docs/locks.md)");
    program.require_subcommand(1);
    program.set_version_flag("--version", "baton-lock " BATON_VERSION);

    auto& make = *program.add_subcommand("migrate", "Create the tables of locks, or bring them to this version");
    add_database(make, given);
    make.callback([&given] { migrate(given); });

    auto& clean = *program.add_subcommand("reap", "Remove locks that have been free for a while");
    add_database(clean, given);
    std::map<std::string, std::int64_t> const units{{"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}};
    clean.add_option("--age", given.age_s, "Remove locks free for this long, at least a minute: 90s, 5m, 2h, 1d")
        ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, "DURATION"))
        ->default_str("1d");
    clean.add_flag("--json", given.json, "Print JSON");
    clean.callback([&given] { reap(given); });

    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& wrong) {
        return program.exit(wrong) == 0 ? 0 : status_usage;
    }
    if (!std::cout.flush()) {
        std::cerr << "baton-lock: standard output cannot be written\n";
        return status_failed;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        baton::log::start("baton-lock", "info");
        return run(argc, argv);
    } catch (std::exception const& failure) {
        std::cerr << "baton-lock: " << baton::printable(failure.what()) << std::endl;
        return status_failed;
    }
}
