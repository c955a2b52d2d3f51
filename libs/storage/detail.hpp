#pragma once
// For implementations of `database` only: sessions, their settings, and how a piece of work is run on one. The real and
// the simulated database share it, so that both fail in the same way.

#include "libs/storage/database.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace baton::storage {

// A statement that the database refused or could not answer.
class statement_error : public std::exception {
public:
    enum class kind {
        conflict,  // deadlock, lock time-out, busy file: the transaction may be tried again
        lost,      // the session is broken, or its server cannot write now; the effect is unknown
        duplicate, // a unique key is taken; `what` names it
        bad_value, // too long, out of range, not in the column's encoding
        refused,   // anything else
    };
    statement_error(kind why, std::string text, unsigned number = 0)
        : why_(why), number_(number), text_(std::move(text))
    {}
    char const* what() const noexcept override { return text_.c_str(); }
    kind why() const { return why_; }
    unsigned number() const { return number_; } // MySQL's; 0 where there is none

private:
    kind why_;
    unsigned number_;
    std::string text_;
};

// The exception in flight as a statement_error, if the database raised it. Call it in a catch handler.
std::optional<statement_error> database_failure();

// `unavailable` after which the session must be closed.
class session_broken : public unavailable {
public:
    using unavailable::unavailable;
};

class busy_file;

struct close_session {
    std::shared_ptr<busy_file> waits = nullptr; // of SQLite
    void operator()(soci::session* session) const;
};
using session_ptr = std::unique_ptr<soci::session, close_session>;

// Connects and configures: time zone, isolation, limits, encoding; SQLite: journal, durability, baton_now_us(). Throws
// session_broken, whose text never holds the password.
session_ptr open_session(location const& where, database_settings const& settings, time_source const& time);

// Gives a SQLite session the function baton_now_us().
void register_now(soci::session& session, std::function<std::int64_t()> now);

// Runs `work`, in a transaction if asked for. After a conflict `again(tries so far)` pauses and says whether to try
// again. Throws what `work` throws; a failure of the database as unavailable, already_exists or invalid_input.
// `begun` is set once the database may have seen anything of the work.
void run_job(soci::session& session, std::function<void(soci::session&)> const& work, bool in_transaction,
             std::function<bool(int tries)> const& again, bool& begun);

} // namespace baton::storage
