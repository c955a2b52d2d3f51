#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/error.hpp"
#include "libs/base/time.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace soci {
class session;
}

namespace baton::storage {

class dialect;
class login_watch;
enum class engine { mysql, sqlite }; // one for each dialect

// The address of a database: "mysql://user:password@host:port/name" or "sqlite:/path/to/file.db".
struct location {
    storage::engine engine = storage::engine::sqlite;
    std::string host;
    std::uint16_t port = 0;
    std::string user;
    std::string password;
    std::string name;          // the database, or the file
    std::string password_file; // private; read for each new session, instead of `password`; empty: none

    std::string text() const; // without the password
};
location parse_location(std::string const& text); // throws invalid_input("database")

// Runs functions on SOCI sessions (seam 2). Real: threads with a session each. Simulated: SQLite in memory, on the
// loop.
//
// `work` is called on another thread while the caller is suspended, so it may capture the caller's frame by reference;
// within run_here() (libs/base) it is called on the caller's own.
// `work` must be repeatable: it runs again after a deadlock, a lock time-out or a busy file. A call cannot be cancelled
// or interrupted, only bounded by the session's limits; cancellation is delivered after it returns. Exceptions of the
// work reach the caller. A lost connection, a time-out or an error of the server becomes `unavailable`, and then the
// effect of the work is unknown. If the database refuses the data, the exception is also a `rejected_data`.
class database {
public:
    virtual ~database() = default;

    virtual storage::dialect const& dialect() const = 0;

    // Whether its clock is that of all nodes, and not of this host alone.
    virtual bool shared_clock() const;

    // Statements that stand alone (autocommit).
    template <class Work>
    awaitable<std::invoke_result_t<Work&, soci::session&>> run(Work work)
    {
        co_return co_await hand_over<Work>(work, false);
    }

    // One transaction (BEGIN IMMEDIATE on SQLite): committed when `work` returns, rolled back when it throws.
    template <class Work>
    awaitable<std::invoke_result_t<Work&, soci::session&>> transact(Work work)
    {
        co_return co_await hand_over<Work>(work, true);
    }

protected:
    using job = std::function<void(soci::session&)>;

    // Calls `work`, once or repeatedly as above, on a session, in a transaction if asked for. Must not return before it
    // is done even if the caller is cancelled, since `work` refers to the caller's frame.
    virtual awaitable<void> execute(job const& work, bool in_transaction) = 0;

private:
    template <class Work>
    awaitable<std::invoke_result_t<Work&, soci::session&>> hand_over(Work& work, bool in_transaction)
    {
        using result = std::invoke_result_t<Work&, soci::session&>;
        if constexpr (std::is_void_v<result>) {
            job const call = [&work](soci::session& sql) { work(sql); };
            co_await execute(call, in_transaction);
        } else {
            std::optional<result> out;
            job const call = [&](soci::session& sql) { out.emplace(work(sql)); };
            co_await execute(call, in_transaction);
            co_return std::move(*out);
        }
    }
};

struct database_settings {
    std::size_t sessions = 4;         // each with a thread of its own
    std::size_t queue_limit = 10'000; // calls that may wait for a session; further calls throw unavailable
    unsigned connect_limit_s = 2;     // whole seconds: the client library knows no others
    unsigned read_limit_s = 10;
    unsigned lock_wait_s = 5;        // innodb_lock_wait_timeout; SQLite: busy time-out
    unsigned idle_transaction_s = 0; // MariaDB: the server ends a transaction idle for so long; 0: no limit
    unsigned idle_session_s = 0;     // MySQL: the server ends a session that is silent for so long; 0: its own limit
    bool causal = false;             // Galera: each statement first waits for the commits of all nodes
    bool create_file = false;        // SQLite: make the file, for this user alone, if it is absent
    bool private_file = false;       // SQLite: throw not_private if other users can read or own the file
    bool reconnect = true; // false: a lost session is not replaced, since its locks are lost too (session_ended)
    std::shared_ptr<login_watch> logins{}; // shared by the databases of one location; null: by the sessions of this one
};

// Connects lazily: each session at its first call, and again after a lost connection. SQLite's `baton_now_us()` reads
// `time`. The destructor waits for calls in progress.
std::unique_ptr<database> open_database(location const& where, database_settings settings, time_source const& time);

// The session was lost earlier and is not replaced. No part of the work was done.
class session_ended : public unavailable {
public:
    using unavailable::unavailable;
};

// Mixed into exceptions that say: the database refuses the data of a statement, such as a taken key or a text that is
// too long. The transaction had no effect, and it would be refused again.
class rejected_data {
public:
    virtual ~rejected_data() = default;
    virtual char const* why() const noexcept = 0;

protected:
    rejected_data() = default;
    rejected_data(rejected_data const&) = default;
    rejected_data& operator=(rejected_data const&) = default;
};

// Thrown by a repository when a unique name or key is already taken.
class already_exists : public std::exception, public rejected_data {
public:
    explicit already_exists(std::string what) : what_(std::move(what)) {}
    char const* what() const noexcept override { return what_.c_str(); }
    char const* why() const noexcept override { return what_.c_str(); }

private:
    std::string what_;
};

// A value does not fit its column, violates a constraint, or makes a statement longer than the server takes.
class unfit_value : public invalid_input, public rejected_data {
public:
    explicit unfit_value(std::string const& text) : invalid_input("", text) {}
    char const* why() const noexcept override { return what(); }
};

} // namespace baton::storage
