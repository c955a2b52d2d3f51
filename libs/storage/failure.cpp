#include "libs/storage/detail.hpp"

#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <optional>

namespace baton::storage {

namespace {

using kind = statement_error::kind;

kind classify_mysql(unsigned number)
{
    switch (number) {
    case 1213: // deadlock
    case 1205: // lock wait time-out
    case 3572: // NOWAIT, and another has it (MySQL 8; MariaDB says 1205)
    case 1020: // record has changed since last read (snapshot isolation, Galera)
        return kind::conflict;
    case 1062: // duplicate entry
        return kind::duplicate;
    case 1264: // out of range
    case 1366: // incorrect string value
    case 1406: // data too long
    case 3854: // cannot convert string to character set
        return kind::bad_value;
    case 1047: // unknown command: a Galera node without a majority
    case 1053: // server shutdown in progress
    case 1290: // read-only server
    case 1836: // read-only mode
    case 1927: // connection was killed
    case 4031: // closed by the server after inactivity (MySQL 8)
        return kind::lost;
    default:
        return number >= 2000 && number < 3000 ? kind::lost : kind::refused; // 2xxx: of the client library
    }
}

kind classify_sqlite(int result)
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

} // namespace

std::optional<statement_error> database_failure()
{
    try {
        throw;
    } catch (statement_error const& known) {
        return known;
    } catch (soci::mysql_soci_error const& failure) {
        auto const text = failure.get_error_message() + " (error " + std::to_string(failure.err_num_) + ")";
        return statement_error(classify_mysql(failure.err_num_), text, failure.err_num_);
    } catch (soci::sqlite3_soci_error const& failure) {
        return statement_error(classify_sqlite(failure.result()), failure.get_error_message());
    } catch (soci::soci_error const& failure) {
        return statement_error(kind::refused, failure.get_error_message());
    } catch (...) {
        return std::nullopt;
    }
}

namespace {

void exec(soci::session& session, char const* text)
{
    session << text;
}

void roll_back(soci::session& session)
{
    try {
        exec(session, "ROLLBACK");
    } catch (soci::soci_error const& failure) {
        // SQLite rolls back by itself on some failures and then has no transaction to end; Galera does when another
        // node's commit is in conflict, and says so at the next statement.
        auto const known = database_failure();
        if (session.get_backend_name() != "sqlite3" && known->why() != kind::conflict)
            throw session_broken(std::string("database: rollback failed: ") + failure.what());
    }
}

[[noreturn]] void give_up(statement_error const& failure)
{
    std::string const text = std::string("database: ") + failure.what();
    switch (failure.why()) {
    case kind::duplicate:
        throw already_exists(text);
    case kind::bad_value:
        throw invalid_input("", text);
    case kind::lost:
        throw session_broken(text);
    default:
        throw unavailable(text);
    }
}

void run_once(soci::session& session, std::function<void(soci::session&)> const& work, bool in_transaction, bool& begun)
{
    if (!in_transaction) {
        begun = true;
        work(session);
        return;
    }
    exec(session, session.get_backend_name() == "sqlite3" ? "BEGIN IMMEDIATE" : "START TRANSACTION");
    begun = true;
    try {
        work(session);
        exec(session, "COMMIT");
    } catch (...) {
        auto const failure = database_failure();
        if (!failure || failure->why() != kind::lost)
            roll_back(session);
        throw;
    }
}

} // namespace

void run_job(soci::session& session, std::function<void(soci::session&)> const& work, bool in_transaction,
             std::function<bool(int tries)> const& again, bool& begun)
{
    for (int tries = 1;; ++tries) {
        std::optional<statement_error> failure;
        try {
            run_once(session, work, in_transaction, begun);
            return;
        } catch (...) {
            failure = database_failure();
            if (!failure)
                throw;
        }
        if (failure->why() != kind::conflict || !again(tries))
            give_up(*failure);
    }
}

} // namespace baton::storage
