#pragma once
// Sessions, their errors, and how work runs on one. For implementations of `database`; the real and the simulated one
// share it, so that both fail in the same way.

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
        conflict,     // deadlock, busy file: the transaction is rolled back and may be tried again
        lock_timeout, // a lock was not free in time: the same
        lost,         // the session is broken, or its server cannot write now; the effect is unknown
        duplicate,    // a unique key is taken; the text names it
        bad_value,    // too long, out of range, not in the column's encoding, against a constraint
        interrupted,  // another session ended the statement (KILL QUERY)
        login,        // the server refuses the user or the password
        refused,      // anything else
    };
    statement_error(kind why, std::string text) : why_(why), text_(std::move(text)) {}
    char const* what() const noexcept override { return text_.c_str(); }
    kind why() const { return why_; }
    bool may_succeed_again() const { return why_ == kind::conflict || why_ == kind::lock_timeout; }

private:
    kind why_;
    std::string text_;
};

// The exception being handled as a statement_error, if a database raised it. Only for catch handlers.
std::optional<statement_error> database_failure();

// `unavailable` after which the session must be closed.
class session_broken : public unavailable {
public:
    using unavailable::unavailable;
};

struct close_session {
    std::shared_ptr<void> companion = nullptr; // an object that the session uses, so it must outlive the session
    void operator()(soci::session* session) const;
};
using session_ptr = std::unique_ptr<soci::session, close_session>;

// Connects and configures the session as its dialect says: time zone, isolation, limits, encoding, durability. Throws
// session_broken, whose text never holds the password.
session_ptr open_session(location const& where, database_settings const& settings, time_source const& time);

// Gives a SQLite session the function baton_now_us().
void register_now(soci::session& session, std::function<std::int64_t()> now);

// Runs `work`, in a transaction if asked for. After a conflict `again(tries so far)` pauses and says whether to try
// again. Exceptions of `work` pass through; a failure of the database becomes unavailable, already_exists or
// invalid_input. `begun` is set once the database may have seen any part of the work.
void run_job(soci::session& session, std::function<void(soci::session&)> const& work, bool in_transaction,
             std::function<bool(int tries)> const& again, bool& begun);

} // namespace baton::storage
