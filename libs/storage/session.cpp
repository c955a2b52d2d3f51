#include "libs/storage/busy_file.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/statement.hpp"

#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>
#include <sstream>
#include <thread>

namespace baton::storage {

namespace {

std::string quoted(std::string const& value)
{
    std::string text = "'";
    for (auto const c : value) {
        if (c == '\'' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + "'";
}

std::string mysql_connection(location const& where, database_settings const& settings)
{
    std::ostringstream text;
    text << "host=" << quoted(where.host) << " port=" << where.port << " user=" << quoted(where.user)
         << " dbname=" << quoted(where.name) << " charset=utf8mb4 connect_timeout=" << settings.connect_limit_s
         << " read_timeout=" << settings.read_limit_s << " write_timeout=" << settings.read_limit_s;
    if (!where.password.empty())
        text << " password=" << quoted(where.password);
    return text.str();
}

std::string without_password(std::string text, location const& where)
{
    if (!where.password.empty())
        for (auto at = text.find(where.password); at != std::string::npos; at = text.find(where.password, at))
            text.replace(at, where.password.size(), "***");
    return text;
}

// A Galera node answers with what it has, which may be less than others have committed and told of.
void wait_for_other_nodes(soci::session& session)
{
    if (on_galera(session))
        session << "SET SESSION wsrep_sync_wait = 7"; // reads and transactions, updates, inserts
}

void configure_mysql(soci::session& session, database_settings const& settings)
{
    // Compare-and-set is judged by matched rows, so a connection that counts changed ones is of no use.
    auto const* backend = static_cast<soci::mysql_session_backend*>(session.get_backend());
    if ((backend->conn_->client_flag & CLIENT_FOUND_ROWS) == 0)
        throw session_broken("database: the connection counts changed rows, not matched ones");

    session << "SET NAMES utf8mb4";
    statement(
        session,
        "SET SESSION autocommit = 1, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout = ",
        std::max(1u, settings.lock_wait_s))
        .execute();
    session << "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";

    std::string version;
    session << "SELECT VERSION()", soci::into(version);
    bool const mariadb = version.find("MariaDB") != std::string::npos;
    if (mariadb)
        statement(session, "SET SESSION max_statement_time = ", settings.read_limit_s).execute();
    if (settings.idle_transaction_s > 0 && mariadb)
        statement(session, "SET SESSION idle_transaction_timeout = ", settings.idle_transaction_s).execute();
    else if (settings.idle_transaction_s > 0) // MySQL limits only the session as a whole
        statement(session, "SET SESSION wait_timeout = ", settings.idle_transaction_s).execute();
    if (settings.idle_session_s > 0)
        statement(session, "SET SESSION wait_timeout = ", settings.idle_session_s).execute();
    if (settings.causal)
        wait_for_other_nodes(session);
}

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
            if (failure->why() != statement_error::kind::conflict || tries == 100)
                throw;
        }
        std::this_thread::sleep_for(20ms);
    }
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

std::unique_ptr<soci::session> connect(location const& where, database_settings const& settings)
{
    if (where.engine == engine::mysql)
        return std::make_unique<soci::session>(soci::mysql, mysql_connection(where, settings));
    if (!settings.create_file && where.name != ":memory:" && !std::filesystem::exists(where.name))
        throw session_broken("there is no such file");
    // SOCI reads options from text with an equals sign, and a bare name from any other.
    bool const plain = where.name.find('=') == std::string::npos;
    return std::make_unique<soci::session>(soci::sqlite3, plain ? where.name : "dbname=\"" + where.name + "\"");
}

void configure_sqlite(session_ptr& session, location const& where, database_settings const& settings,
                      time_source const& time)
{
    session.get_deleter().waits =
        std::make_shared<busy_file>(*session, std::chrono::seconds{settings.lock_wait_s}, time);
    register_now(*session, [&time] { return to_micros(time.utc()); });
    if (where.name != ":memory:")
        write_ahead(*session);
    *session << "PRAGMA synchronous = FULL";
}

} // namespace

bool on_galera(soci::session& session)
{
    if (engine_of(session) == engine::sqlite)
        return false;
    std::string name;
    std::string value;
    session << "SHOW VARIABLES LIKE 'wsrep_on'", soci::into(name),
        soci::into(value); // on any other server off or absent
    return session.got_data() && value == "ON";
}

void close_session::operator()(soci::session* session) const
{
    delete session;
}

void register_now(soci::session& session, std::function<std::int64_t()> now)
{
    auto* backend = static_cast<soci::sqlite3_session_backend*>(session.get_backend());
    sqlite_api::sqlite3_create_function_v2(backend->conn_, "baton_now_us", 0, 1 /* SQLITE_UTF8 */,
                                           new now_function(std::move(now)), answer_now, nullptr, nullptr, forget_now);
}

session_ptr open_session(location const& where, database_settings const& settings, time_source const& time)
{
    try {
        session_ptr session(connect(where, settings).release());
        if (where.engine == engine::mysql)
            configure_mysql(*session, settings);
        else
            configure_sqlite(session, where, settings, time);
        return session;
    } catch (session_broken const& failure) {
        throw session_broken("database " + where.text() + ": " + failure.what());
    } catch (statement_error const& failure) {
        throw session_broken("database " + where.text() + ": " + without_password(failure.what(), where));
    } catch (soci::soci_error const&) {
        throw session_broken("database " + where.text() + ": " + without_password(database_failure()->what(), where));
    }
}

} // namespace baton::storage
