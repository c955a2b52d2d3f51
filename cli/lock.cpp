// baton lock: the tables of the locks of services, and what is left in them.

#include "cli/commands.hpp"
#include "cli/config/duration.hpp"
#include "libs/base/error.hpp"

#include <baton/lock/store.hpp>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace baton::cli {

namespace {

struct options {
    std::string database;
    std::string age = "1d";
};

// What the locks throw, in the words that all commands have.
template <class Call>
void with_store(std::string const& url, Call call)
{
    try {
        lock::store_options how;
        how.create_file = false;
        lock::store locks(url, how);
        call(locks);
    } catch (std::invalid_argument const& wrong) {
        throw invalid_input("", wrong.what());
    } catch (std::system_error const& failure) {
        throw unavailable(failure.what());
    }
}

void reap(options const& how, common_options const& common)
{
    auto const age = std::chrono::floor<std::chrono::seconds>(parse_duration(how.age));
    with_store(how.database, [&](lock::store& locks) {
        auto const removed = locks.reap(age);
        if (common.json)
            std::cout << "{\"removed\": " << removed << "}\n";
        else
            std::cout << removed << (removed == 1 ? " lock" : " locks") << " removed\n";
    });
}

} // namespace

void add_lock(CLI::App& program, common_options const& common)
{
    auto& group = *program.add_subcommand("lock", "Locks of services (docs/locks.md)");
    group.require_subcommand(1)->fallthrough();
    auto const how = std::make_shared<options>();
    auto* const command = group.add_subcommand("reap", "Remove locks of a database that nobody has held for long");
    command->add_option("--database", how->database, "mysql://user:password@host/name or sqlite:/path/file.db")
        ->envname("BATON_DATABASE_URL")
        ->required();
    command->add_option("--age", how->age, "For how long, a minute at least")->capture_default_str();
    command->callback([how, &common] { reap(*how, common); });
}

} // namespace baton::cli
