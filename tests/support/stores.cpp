#include "tests/support/stores.hpp"

#include "libs/base/process.hpp"
#include "libs/storage/detail.hpp"
#include "tests/support/private_galera.hpp"
#include "tests/support/private_mysql.hpp"
#include "tests/support/script.hpp"
#include "tests/support/target.hpp"

#include <soci/soci.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>

namespace baton::test {

namespace {

// Waits until a node of a cluster has all that other nodes have committed.
void sync(storage::location where, time_source const& time)
{
    where.name = "mysql"; // the database itself may be gone
    auto const session = storage::open_session(where, {}, time);
    *session << "SET SESSION wsrep_sync_wait = 15";
    int ignored = 0;
    *session << "SELECT COUNT(*) FROM db", soci::into(ignored);
}

// A new database, by its address on each of the servers, which all have it.
std::vector<storage::location> make_mysql(std::vector<std::string> const& servers, time_source const& time)
{
    static int number = 0;
    auto const name = "baton_test_" + std::to_string(process_id()) + "_" + std::to_string(++number);
    std::vector<storage::location> found;
    for (auto const& server : servers)
        found.push_back(storage::parse_location(server + "/mysql"));
    *storage::open_session(found.front(), {}, time) << "CREATE DATABASE " + name;
    for (auto& each : found)
        each.name = name;
    std::for_each(found.begin() + 1, found.end(), [&](auto const& each) { sync(each, time); });
    return found;
}

std::vector<std::string> servers()
{
    return chosen_target() == target::galera ? galera_servers() : std::vector{mysql_server()};
}

storage::location make_sqlite()
{
    return storage::parse_location("sqlite:" + make_folder("sqlite") + "/baton.db");
}

} // namespace

void run_to_end(awaitable<void> part)
{
    asio::io_context loop;
    std::exception_ptr failure;
    asio::co_spawn(loop, std::move(part), [&](std::exception_ptr ended) { failure = std::move(ended); });
    loop.run();
    if (failure)
        std::rethrow_exception(failure);
}

store::store(storage::engine engine)
{
    if (engine == storage::engine::sqlite)
        nodes_.push_back(make_sqlite());
    else
        nodes_ = make_mysql(servers(), time_);
}

store::~store()
{
    if (where().engine == storage::engine::sqlite) {
        std::error_code ignored;
        std::filesystem::remove_all(std::filesystem::path(where().name).parent_path(), ignored);
        return;
    }
    try {
        exec("DROP DATABASE " + where().name);
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
}

std::unique_ptr<storage::database> store::open(storage::database_settings settings)
{
    settings.create_file = true;
    return storage::open_database(where(), settings, time_);
}

store& store::migrated(storage::migration_set set)
{
    auto const database = open({.sessions = 1});
    wait_for(storage::migrate(*database, std::move(set)));
    return *this;
}

// A session for one statement. In a cluster it waits first for all that other nodes have committed.
storage::session_ptr store::plain(storage::location const& where)
{
    auto session = storage::open_session(where, {.create_file = true}, time_);
    if (nodes_.size() > 1)
        *session << "SET SESSION wsrep_sync_wait = 15";
    return session;
}

void store::await_nodes()
{
    for (auto const& node : nodes_) {
        int value = 0;
        *plain(node) << "SELECT 1", soci::into(value);
    }
}

std::int64_t store::number(std::string const& sql)
{
    std::int64_t value = 0;
    soci::indicator state = soci::i_ok;
    *plain(nodes_.back()) << sql, soci::into(value, state);
    return state == soci::i_ok ? value : -1;
}

std::string store::text(std::string const& sql)
{
    std::string value;
    soci::indicator state = soci::i_ok;
    *plain(nodes_.back()) << sql, soci::into(value, state);
    return state == soci::i_ok ? value : "NULL";
}

void store::exec(std::string const& sql)
{
    *plain(nodes_.back()) << sql;
    std::for_each(nodes_.rbegin() + 1, nodes_.rend(), [&](auto const& each) { sync(each, time_); });
}

std::string to_string(storage::engine engine)
{
    return engine == storage::engine::mysql ? "mysql" : "sqlite";
}

} // namespace baton::test
