#include "tests/support/stores.hpp"

#include "libs/base/process.hpp"
#include "libs/storage/detail.hpp"
#include "tests/support/private_mariadb.hpp"

#include <soci/soci.h>

#include <cstdlib>
#include <filesystem>

namespace baton::test {

namespace {

storage::location make_mysql(time_source const& time)
{
    static int number = 0;
    auto where = storage::parse_location(mysql_server() + "/mysql");
    auto const session = storage::open_session(where, {}, time);
    where.name = "baton_test_" + std::to_string(process_id()) + "_" + std::to_string(++number);
    *session << "CREATE DATABASE " + where.name;
    return where;
}

storage::location make_sqlite()
{
    char folder[] = "/tmp/baton-sqlite-XXXXXX";
    if (mkdtemp(folder) == nullptr)
        throw std::runtime_error("cannot make a folder in /tmp");
    return storage::parse_location(std::string("sqlite:") + folder + "/baton.db");
}

} // namespace

store::store(storage::engine engine) : where_(engine == storage::engine::mysql ? make_mysql(time_) : make_sqlite()) {}

store::~store()
{
    if (where_.engine == storage::engine::sqlite) {
        std::error_code ignored;
        std::filesystem::remove_all(std::filesystem::path(where_.name).parent_path(), ignored);
        return;
    }
    try {
        exec("DROP DATABASE " + where_.name);
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
}

std::unique_ptr<storage::database> store::open(storage::database_settings settings)
{
    settings.create_file = true;
    return storage::open_database(where_, settings, time_);
}

store& store::migrated(std::string set)
{
    auto const database = open({.sessions = 1});
    wait_for(storage::migrate(*database, std::move(set)));
    return *this;
}

std::int64_t store::number(std::string const& sql)
{
    std::int64_t value = 0;
    soci::indicator state = soci::i_ok;
    *storage::open_session(where_, {.create_file = true}, time_) << sql, soci::into(value, state);
    return state == soci::i_ok ? value : -1;
}

std::string store::text(std::string const& sql)
{
    std::string value;
    soci::indicator state = soci::i_ok;
    *storage::open_session(where_, {.create_file = true}, time_) << sql, soci::into(value, state);
    return state == soci::i_ok ? value : "NULL";
}

void store::exec(std::string const& sql)
{
    *storage::open_session(where_, {.create_file = true}, time_) << sql;
}

std::string to_string(storage::engine engine)
{
    return engine == storage::engine::mysql ? "mysql" : "sqlite";
}

} // namespace baton::test
