// SQLite 3.40, a file of one host. Simulations use it in place of a server as well: there libs/sim adds the functions
// for named locks, and sets the clock.

#include "libs/base/private_file.hpp"
#include "libs/storage/busy_file.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/dialects/dialects.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>
#include <thread>

namespace baton::storage {

namespace {

using kind = statement_error::kind;

kind classify(int result)
{
    switch (result & 0xff) { // without the extended part
    case 5:                  // SQLITE_BUSY
    case 6:                  // SQLITE_LOCKED
        return kind::conflict;
    case 19: // SQLITE_CONSTRAINT
        return kind::duplicate;
    case 18: // SQLITE_TOOBIG
        return kind::bad_value;
    case 10: // SQLITE_IOERR
    case 11: // SQLITE_CORRUPT
    case 14: // SQLITE_CANTOPEN
    case 26: // SQLITE_NOTADB
        return kind::lost;
    default:
        return kind::refused;
    }
}

constexpr named_lock_words simulated_locks{
    {"('baton:' || "},      {")"},
    {"baton_get_lock("},    {"baton_release_lock("},
    {"baton_lock_holder("}, {"baton_connection_id()"},
    {"baton_server_id()"},  {"SELECT baton_kill_query("},
    {"SELECT baton_kill("}, {")"},
};

constexpr lock_clock simulated_clock{{"baton_now_us()"}, {"(baton_now_us() - update_time)"}};

// Changing to the write-ahead log needs the file for oneself, and SQLite does not always wait for that.
void write_ahead(soci::session& session)
{
    for (int tries = 1;; ++tries) {
        try {
            std::string mode;
            session << "PRAGMA journal_mode", soci::into(mode);
            if (mode != "wal")
                session << "PRAGMA journal_mode = WAL", soci::into(mode);
            return;
        } catch (soci::soci_error const&) {
            auto const failure = database_failure();
            if (failure->why() != kind::conflict || tries == 100)
                throw;
        }
        std::this_thread::sleep_for(20ms);
    }
}

// SQLite gives the files beside the database the mode of the database.
void prepare_file(std::string const& file, database_settings const& settings)
{
    try {
        if (settings.private_file || !std::filesystem::exists(file))
            make_private_file(file);
        if (settings.private_file)
            for (auto const* beside : {"-wal", "-shm", "-journal"})
                check_private_file(file + beside);
    } catch (unavailable const& failure) {
        throw session_broken(failure.what());
    }
}

class sqlite final : public dialect {
public:
    storage::engine engine() const override { return storage::engine::sqlite; }
    std::string_view name() const override { return "sqlite"; }
    std::string_view title() const override { return "SQLite"; }

    bool shared_clock() const override { return false; }
    bool locks_rows() const override { return false; }
    bool transactional_ddl() const override { return true; }
    bool returns_rows() const override { return true; }
    bool compares_rows() const override { return true; }
    std::size_t most_rows() const override { return 500; }
    std::size_t most_values() const override { return 30'000; } // SQLite binds 32,766 at most

    location parse(std::string const& path) const override;
    std::string text(location const& where) const override { return "sqlite:" + where.name; }
    session_ptr connect(location const& where, database_settings const& settings,
                        time_source const& time) const override;

    std::optional<statement_error> failure(soci::soci_error const& error) const override
    {
        auto const* const found = dynamic_cast<soci::sqlite3_soci_error const*>(&error);
        if (found == nullptr)
            return std::nullopt;
        return statement_error(classify(found->result()), found->get_error_message());
    }
    bool rolls_back_by_itself() const override { return true; }

    fragment placeholder() const override { return {"?"}; } // SOCI's names would be one parameter if they were the same
    fragment begin() const override { return {"BEGIN IMMEDIATE"}; }
    fragment now_us() const override { return {"baton_now_us()"}; }
    fragment for_update() const override { return {""}; }
    fragment skip_locked() const override { return {""}; }
    // A compound SELECT may have 500 parts only, VALUES any number of rows.
    storage::batch_form batch_form() const override { return storage::batch_form::from_values; }
    named_lock_words const& named_locks() const override { return simulated_locks; }
    lock_clock const& clock() const override { return simulated_clock; }
    std::string index_hint(char const* index) const override { return " INDEXED BY " + std::string(index); }
    std::string delete_from(char const* table, char const*) const override
    {
        return "DELETE FROM " + std::string(table) + " AS e WHERE ";
    }
    fragment join_in_order() const override { return {"CROSS JOIN"}; }
    std::string on_taken(char const* key) const override
    {
        return " ON CONFLICT (" + std::string(key) + ") DO UPDATE SET ";
    }
    std::string inserted(char const* column) const override { return "excluded." + std::string(column); }

    char const* make_version_table() const override
    {
        return "CREATE TABLE IF NOT EXISTS schema_version (`set` TEXT NOT NULL, number INTEGER NOT NULL, "
               "name TEXT NOT NULL, applied_at INTEGER NULL, PRIMARY KEY (`set`, number))";
    }
    char const* count_version_table() const override
    {
        return "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
    }
};

location sqlite::parse(std::string const& path) const
{
    if (path.empty())
        refuse_location("the path is missing");
    if (path.find('"') != std::string::npos)
        refuse_location("the path must not contain a double quote");
    location where;
    where.engine = engine();
    where.name = path;
    return where;
}

session_ptr sqlite::connect(location const& where, database_settings const& settings, time_source const& time) const
{
    bool const in_memory = where.name == ":memory:";
    if (!settings.create_file && !in_memory && !std::filesystem::exists(where.name))
        throw session_broken("there is no such file");
    if (!in_memory)
        prepare_file(where.name, settings);
    // SOCI reads options from text with an equals sign, and a bare name from any other.
    bool const plain = where.name.find('=') == std::string::npos;
    session_ptr session(new soci::session(soci::sqlite3, plain ? where.name : "dbname=\"" + where.name + "\""));
    session.get_deleter().companion =
        std::make_shared<busy_file>(*session, std::chrono::seconds{settings.lock_wait_s}, time);
    register_now(*session, [&time] { return to_micros(time.utc()); });
    if (!in_memory)
        write_ahead(*session);
    *session << "PRAGMA synchronous = FULL";
    return session;
}

using now_function = std::function<std::int64_t()>;

void answer_now(sqlite_api::sqlite3_context* context, int, sqlite_api::sqlite3_value**)
{
    auto const* now = static_cast<now_function const*>(sqlite_api::sqlite3_user_data(context));
    sqlite_api::sqlite3_result_int64(context, (*now)());
}

void forget_now(void* now)
{
    delete static_cast<now_function*>(now);
}

sqlite const of_sqlite{};

} // namespace

dialect const& sqlite_dialect()
{
    return of_sqlite;
}

void register_now(soci::session& session, std::function<std::int64_t()> now)
{
    auto* backend = static_cast<soci::sqlite3_session_backend*>(session.get_backend());
    sqlite_api::sqlite3_create_function_v2(backend->conn_, "baton_now_us", 0, 1 /* SQLITE_UTF8 */,
                                           new now_function(std::move(now)), answer_now, nullptr, nullptr, forget_now);
}

} // namespace baton::storage
