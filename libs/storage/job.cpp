#include "libs/storage/detail.hpp"
#include "libs/storage/dialect.hpp"

#include <soci/soci.h>

#include <optional>

namespace baton::storage {

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
        // Galera rolls back when another node's commit is in conflict, and says so at the next statement.
        auto const known = database_failure();
        if (!dialect_of(session).rolls_back_by_itself() && known->why() != statement_error::kind::conflict)
            throw session_broken(std::string("database: rollback failed: ") + failure.what());
    }
}

[[noreturn]] void give_up(statement_error const& failure)
{
    std::string const text = std::string("database: ") + failure.what();
    switch (failure.why()) {
    case statement_error::kind::duplicate:
        throw already_exists(text);
    case statement_error::kind::bad_value:
        throw unfit_value(text);
    case statement_error::kind::lost:
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
    exec(session, dialect_of(session).begin().text);
    begun = true;
    try {
        work(session);
        exec(session, "COMMIT");
    } catch (...) {
        auto const failure = database_failure();
        if (!failure || failure->why() != statement_error::kind::lost)
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
        if (!failure->may_succeed_again() || !again(tries))
            give_up(*failure);
    }
}

} // namespace baton::storage
