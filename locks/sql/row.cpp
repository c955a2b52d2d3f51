#include "locks/include/baton/lock/row.hpp"

#include "libs/storage/detail.hpp"
#include "libs/storage/statement.hpp"

#include <stdexcept>

namespace baton::lock {

namespace {

using storage::row;
using storage::statement;

std::system_error row_error(lock_errc code, std::string const& name, std::exception const& failure)
{
    return std::system_error(make_error_code(code), "lock row " + name + ": " + failure.what());
}

// Sets how long the session waits for a row, and restores the caller's setting at the end.
class wait_limit {
public:
    wait_limit(soci::session& sql, std::int64_t seconds) : sql_(sql)
    {
        statement(sql_).select("@@SESSION.innodb_lock_wait_timeout").each([&](row& cells) {
            previous_ = cells.number();
        });
        set(seconds);
    }
    ~wait_limit()
    {
        try {
            set(previous_);
        } catch (std::exception const&) {
            // The session ended, and its settings with it.
        }
    }
    wait_limit(wait_limit const&) = delete;
    wait_limit& operator=(wait_limit const&) = delete;

private:
    void set(std::int64_t seconds)
    {
        statement(sql_, "SET SESSION innodb_lock_wait_timeout = ", std::max<std::int64_t>(seconds, 1)).execute();
    }

    soci::session& sql_;
    std::int64_t previous_ = 50;
};

bool select_row(soci::session& sql, std::string const& name, std::chrono::seconds wait)
{
    bool found = false;
    statement ask(sql);
    ask.select("name")(" FROM lock_row WHERE name = ", name, " FOR UPDATE");
    if (wait == std::chrono::seconds{0})
        ask(" NOWAIT");
    ask.each([&](row& cells) { found = !cells.text().empty(); });
    return found;
}

void refuse_without_row_locks(soci::session& sql, std::string const& name)
{
    auto const& dialect = storage::dialect_of(sql);
    if (!dialect.locks_rows())
        throw std::invalid_argument("lock row " + name + ": " + std::string(dialect.title()) + " locks no rows: use " +
                                    dialect.begin().text + ", which locks the file");
}

} // namespace

void make_row(soci::session& session, std::string const& name)
{
    refuse_without_row_locks(session, name);
    try {
        statement(session, "INSERT INTO lock_row (name) VALUES (", name, ")").execute();
    } catch (...) {
        auto const failure = storage::database_failure();
        if (!failure)
            throw;
        if (failure->why() != storage::statement_error::kind::duplicate)
            throw row_error(lock_errc::unavailable, name, *failure);
    }
}

bool lock_row(soci::session& session, std::string const& name, std::chrono::seconds wait)
{
    refuse_without_row_locks(session, name);
    bool found = false;
    try {
        wait_limit const limit(session, wait.count());
        found = select_row(session, name, wait);
    } catch (...) {
        auto const failure = storage::database_failure();
        if (!failure)
            throw;
        using kind = storage::statement_error::kind;
        if (failure->why() == kind::lock_timeout)
            return false;
        auto const code = failure->why() == kind::conflict ? lock_errc::lost : lock_errc::unavailable;
        throw row_error(code, name, *failure);
    }
    if (!found)
        throw std::invalid_argument("lock row " + name + ": the row does not exist: call make_row() before");
    return true;
}

} // namespace baton::lock
