// MySQL 8 and 9 and MariaDB. The server's version, which a session knows, chooses between the two variants.

#include "libs/storage/detail.hpp"
#include "libs/storage/dialects/dialects.hpp"
#include "libs/storage/statement.hpp"

#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>

#include <sstream>

namespace baton::storage {

namespace {

using kind = statement_error::kind;

kind classify(unsigned number)
{
    switch (number) {
    case 1213: // deadlock
    case 1020: // record has changed since last read (snapshot isolation, Galera)
        return kind::conflict;
    case 1205: // lock wait time-out
    case 3572: // NOWAIT, and another session has the lock (MySQL; MariaDB says 1205)
        return kind::lock_timeout;
    case 1062: // duplicate entry
        return kind::duplicate;
    case 1264: // out of range
    case 1366: // incorrect string value
    case 1406: // data too long
    case 3854: // cannot convert string to character set
        return kind::bad_value;
    case 1045: // access denied: the user or the password
    case 1698: // the same, for a user who needs another proof than a password
        return kind::login;
    case 1317: // KILL QUERY
        return kind::interrupted;
    case 1047: // unknown command: a Galera node without a majority
    case 1053: // server shutdown in progress
    case 1290: // read-only server
    case 1836: // read-only mode
    case 1927: // connection was killed
    case 4031: // closed by the server after inactivity (MySQL)
        return kind::lost;
    default:
        return number >= 2000 && number < 3000 ? kind::lost : kind::refused; // 2xxx: of the client library
    }
}

// The SHA-256 loses six of its 64 hexadecimal digits, since a lock's name has 64 characters at most. Earlier versions
// of baton named their locks by SHA1(), which MySQL 9 does not have. A guard's lock of such a node and one of this
// version do not exclude each other, so a grant proves nothing about the other version's master. That is safe because
// `server` differs as well (by its "2:"): a lease that one version armed is armed on another server for the other,
// which then waits for the lease's ttl.
//
// The two comments make one expression: MariaDB skips those that name a version of MySQL, and MySQL those with an M.
// server_uid is a hash of a port and a MAC address, server_id mostly 1, and hosts are called alike: hence all of them.
constexpr named_lock_words locks{
    {"LEFT(CONCAT('baton:', SHA2(CONCAT(DATABASE(), '/', "},
    {"), 256)), 64)"},
    {"GET_LOCK("},
    {"RELEASE_LOCK("},
    {"IS_USED_LOCK("},
    {"CONNECTION_ID()"},
    {"CONCAT('2:', SHA2(CONCAT_WS(':', /*!50700 @@global.server_uuid *//*M! @@global.server_uid */, @@global.hostname, "
     "@@global.port, @@global.server_id), 256))"},
    {"KILL QUERY "},
    {"KILL "},
    {""},
};

// UTC_TIMESTAMP is frozen at the statement's start, and no session setting but `timestamp` touches it.
constexpr lock_clock row_clock{
    {"UTC_TIMESTAMP(6)"},
    {"TIMESTAMPDIFF(MICROSECOND, update_time, UTC_TIMESTAMP(6))"},
};

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

std::string connection_text(location const& where, database_settings const& settings)
{
    std::ostringstream text;
    text << "host=" << quoted(where.host) << " port=" << where.port << " user=" << quoted(where.user)
         << " dbname=" << quoted(where.name) << " charset=utf8mb4 connect_timeout=" << settings.connect_limit_s
         << " read_timeout=" << settings.read_limit_s << " write_timeout=" << settings.read_limit_s;
    if (!where.password.empty())
        text << " password=" << quoted(where.password);
    return text.str();
}

MYSQL* connection(soci::session& session)
{
    return static_cast<soci::mysql_session_backend*>(session.get_backend())->conn_;
}

// MySQL; and what both variants do in the same way.
class mysql : public dialect {
public:
    storage::engine engine() const override { return storage::engine::mysql; }
    std::string_view name() const override { return "mysql"; }
    std::string_view title() const override { return "MySQL"; }
    dialect const& variant_for(soci::session& session) const override;

    bool shared_clock() const override { return true; }
    bool locks_rows() const override { return true; }
    bool transactional_ddl() const override { return false; }
    bool returns_rows() const override { return false; } // MariaDB's UPDATE has no RETURNING either
    bool compares_rows() const override { return false; }
    std::size_t most_rows() const override { return 500; } // bounded by max_allowed_packet
    std::size_t most_values() const override { return 30'000; }

    location parse(std::string const& rest) const override { return parse_server(engine(), rest, 3306); }
    std::string text(location const& where) const override { return server_text(*this, where); }
    session_ptr connect(location const& where, database_settings const& settings, time_source const&) const override;
    std::int64_t session_number(soci::session& session) const override
    {
        return static_cast<std::int64_t>(mysql_thread_id(connection(session)));
    }
    std::int64_t last_insert_id(soci::session& session) const override
    {
        return static_cast<std::int64_t>(mysql_insert_id(connection(session)));
    }
    bool on_cluster(soci::session& session) const override;

    std::optional<statement_error> failure(soci::soci_error const& error) const override;
    bool rolls_back_by_itself() const override { return false; }

    fragment placeholder() const override { return {":v"}; } // SOCI knows only named ones here
    fragment begin() const override { return {"START TRANSACTION"}; }
    fragment now_us() const override { return {"TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"}; }
    fragment for_update() const override { return {" FOR UPDATE"}; }
    fragment skip_locked() const override { return {" FOR UPDATE SKIP LOCKED"}; }
    storage::batch_form batch_form() const override { return storage::batch_form::join_selects; }
    named_lock_words const& named_locks() const override { return locks; }
    lock_clock const& clock() const override { return row_clock; }
    std::string index_hint(char const* index) const override { return " FORCE INDEX (" + std::string(index) + ")"; }
    std::string delete_from(char const* table, char const* index) const override
    {
        // The index is named, since a small table would be scanned, which waits for every row that a session has
        // locked.
        return "DELETE e FROM " + std::string(table) + " e" + index_hint(index == nullptr ? "PRIMARY" : index) +
               " WHERE ";
    }
    fragment join_in_order() const override { return {"STRAIGHT_JOIN"}; }
    std::string on_taken(char const*) const override { return " ON DUPLICATE KEY UPDATE "; }
    std::string inserted(char const* column) const override { return "VALUES(" + std::string(column) + ")"; }

    char const* make_version_table() const override
    {
        return "CREATE TABLE IF NOT EXISTS schema_version (`set` VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin "
               "NOT NULL, number INT NOT NULL, name VARCHAR(100) NOT NULL, applied_at BIGINT NULL, "
               "PRIMARY KEY (`set`, number)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";
    }
    char const* count_version_table() const override
    {
        return "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() "
               "AND table_name = 'schema_version'";
    }

protected:
    // The limits that the variants know by different names. MySQL has none for a statement that is not a SELECT, and
    // limits an idle transaction only by its idle session.
    virtual void set_limits(soci::session& session, database_settings const& settings) const
    {
        if (settings.idle_transaction_s > 0)
            statement(session, "SET SESSION wait_timeout = ", settings.idle_transaction_s).execute();
    }

private:
    void configure(soci::session& session, database_settings const& settings) const;
};

class mariadb final : public mysql {
public:
    storage::batch_form batch_form() const override { return storage::batch_form::join_values; } // since 10.3

protected:
    void set_limits(soci::session& session, database_settings const& settings) const override
    {
        statement(session, "SET SESSION max_statement_time = ", settings.read_limit_s).execute();
        if (settings.idle_transaction_s > 0)
            statement(session, "SET SESSION idle_transaction_timeout = ", settings.idle_transaction_s).execute();
    }
};

mysql const of_mysql{};
mariadb const of_mariadb{};

mysql const& variant_of(std::string_view version)
{
    return version.find("MariaDB") == version.npos ? of_mysql : of_mariadb;
}

dialect const& mysql::variant_for(soci::session& session) const
{
    return variant_of(mysql_get_server_info(connection(session)));
}

std::optional<statement_error> mysql::failure(soci::soci_error const& error) const
{
    auto const* const found = dynamic_cast<soci::mysql_soci_error const*>(&error);
    if (found == nullptr)
        return std::nullopt;
    auto const text = found->get_error_message() + " (error " + std::to_string(found->err_num_) + ")";
    return statement_error(classify(found->err_num_), text);
}

bool mysql::on_cluster(soci::session& session) const
{
    std::string name;
    std::string value;
    session << "SHOW VARIABLES LIKE 'wsrep_on'", soci::into(name), soci::into(value); // off or absent without Galera
    return session.got_data() && value == "ON";
}

session_ptr mysql::connect(location const& where, database_settings const& settings, time_source const&) const
{
    session_ptr session(new soci::session(soci::mysql, connection_text(where, settings)));
    // The server is asked, because a proxy greets with a version of its own and the limits depend on the server.
    std::string version;
    *session << "SELECT VERSION()", soci::into(version);
    variant_of(version).configure(*session, settings);
    return session;
}

void mysql::configure(soci::session& session, database_settings const& settings) const
{
    // Compare-and-set is judged by matched rows, so a connection that counts changed ones is of no use.
    if ((connection(session)->client_flag & CLIENT_FOUND_ROWS) == 0)
        throw session_broken("database: the connection counts changed rows, not matched ones");

    session << "SET NAMES utf8mb4";
    statement(
        session,
        "SET SESSION autocommit = 1, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout = ",
        std::max(1u, settings.lock_wait_s))
        .execute();
    session << "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
    set_limits(session, settings);
    if (settings.idle_session_s > 0)
        statement(session, "SET SESSION wait_timeout = ", settings.idle_session_s).execute();
    // A Galera node answers with its own state, which may lack commits that other nodes have acknowledged.
    if (settings.causal && on_cluster(session))
        session << "SET SESSION wsrep_sync_wait = 7"; // reads and transactions, updates, inserts
}

} // namespace

dialect const& mysql_dialect()
{
    return of_mysql;
}

} // namespace baton::storage
