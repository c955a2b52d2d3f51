#pragma once
// Everything in which one kind of database differs from another: its URLs, sessions, errors, abilities and SQL. No
// other code asks which kind it talks to. The dialects are immutable and live as long as the program; any thread may
// use them.
//
// To add a database (say PostgreSQL): dialects/postgresql.cpp with a class derived from `dialect`, a folder
// schema/postgresql, a value of `engine`, and a line in the list in dialect.cpp. Names in backticks and
// INSTR, which MySQL and SQLite share, must then move in here. docs/architecture.md has the details.

#include "libs/storage/database.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace soci {
class soci_error;
} // namespace soci

namespace baton::storage {

class statement_error;
struct close_session;

// A piece of SQL that our code chose. The text must be a literal.
struct fragment {
    char const* text;
    bool operator==(fragment const&) const = default;
};

// Named locks of the server, which belong to a session and end with it. The election's guard uses them, and locks use
// them to wake waiters.
struct named_lock_words {
    // Around a bound name: an expression for the lock's name, at most 64 characters long, which is the same on all
    // sessions of one database and another in each database.
    fragment name_begin;
    fragment name_end;
    // Functions, up to the name. `get` has the seconds to wait behind the name and answers 1 when the session has the
    // lock, 0 when the time is over; `release` answers 1 when it released one level of it; `holder` answers the
    // session.
    fragment get;
    fragment release;
    fragment holder;
    fragment session; // the number of this session
    fragment server;  // tells servers apart, whichever of them a proxy leads the session to
    // Statements, around a session's number: end its present statement, or the session.
    fragment kill_query;
    fragment kill;
    fragment kill_end;
};

// The database's clock in the table `lock`, where `update_time` has the type that this clock returns.
struct lock_clock {
    fragment now;
    fragment age; // of `update_time`, in microseconds
};

// The form of an UPDATE of many rows, each with values of its own (batch_update).
enum class batch_form {
    from_values,  // WITH v(a) AS (VALUES (1), (2)) UPDATE t AS e SET ... FROM v WHERE e.id = v.v_id
    join_values,  // UPDATE (SELECT 1 AS a UNION ALL VALUES (2)) v JOIN t e ON e.id = v.v_id SET ...
    join_selects, // UPDATE (SELECT 1 AS a UNION ALL SELECT 2) v JOIN t e ON e.id = v.v_id SET ...
};

class dialect {
public:
    virtual ~dialect() = default;

    // --- Which one it is
    virtual storage::engine engine() const = 0;
    virtual std::string_view name() const = 0;  // the scheme of its URLs and its folder in schema/: "mysql"
    virtual std::string_view title() const = 0; // for messages: "MySQL"
    // The variant for the server of this session. It must not ask the server.
    virtual dialect const& variant_for(soci::session&) const { return *this; }

    // --- Abilities
    // True: a server whose clock and named locks all hosts share. False: a file that belongs to one host.
    virtual bool shared_clock() const = 0;
    virtual bool locks_rows() const = 0;         // False: a writer locks everything.
    virtual bool transactional_ddl() const = 0;  // CREATE TABLE and ALTER TABLE can be rolled back.
    virtual bool returns_rows() const = 0;       // UPDATE ... RETURNING
    virtual bool compares_rows() const = 0;      // (a, b) > (x, y) is read as one range of an index.
    virtual std::size_t most_rows() const = 0;   // in one statement
    virtual std::size_t most_values() const = 0; // that one statement may bind

    // --- Sessions
    virtual location parse(std::string const& rest) const = 0; // of a URL, behind "name:"
    virtual std::string text(location const& where) const = 0; // a URL without the password
    // Throws soci_error, statement_error or session_broken.
    virtual std::unique_ptr<soci::session, close_session>
    connect(location const& where, database_settings const& settings, time_source const& time) const = 0;
    // The session's number, as named_lock_words::session has it, and what last_insert_id() recorded last; 0 where there
    // is no such thing. Neither asks the server.
    virtual std::int64_t session_number(soci::session&) const { return 0; }
    virtual std::int64_t last_insert_id(soci::session&) const { return 0; }
    // True on a node of a multi-primary cluster, where row locks and named locks are local to the node.
    virtual bool on_cluster(soci::session&) const { return false; }

    // --- Errors
    // None when the error is another database's.
    virtual std::optional<statement_error> failure(soci::soci_error const& error) const = 0;
    // True when the database ends a transaction by itself after some errors, so that ROLLBACK may then be refused.
    virtual bool rolls_back_by_itself() const = 0;

    // --- SQL
    virtual fragment placeholder() const = 0; // of a bound value
    virtual fragment begin() const = 0;       // a transaction that will write
    virtual fragment now_us() const = 0;      // microseconds since 1970, frozen at the start of the statement
    virtual fragment for_update() const = 0;  // lock clause of a SELECT; empty where a transaction locks everything
    // The same for rows that no other transaction has locked: the others are left out.
    virtual fragment skip_locked() const = 0;
    virtual storage::batch_form batch_form() const = 0;
    virtual named_lock_words const& named_locks() const = 0;
    virtual lock_clock const& clock() const = 0;
    virtual std::string index_hint(char const* index) const = 0; // behind a table and its alias
    // Up to the condition; the table has the alias "e". `index` is null for the primary key.
    virtual std::string delete_from(char const* table, char const* index) const = 0;
    // Behind an INSERT: assignments follow, for the case that `key` is taken.
    // JOIN that reads the table on its left first.
    virtual fragment join_in_order() const = 0;
    virtual std::string on_taken(char const* key) const = 0;
    virtual std::string inserted(char const* column) const = 0; // in such an assignment: the value that was refused

    // --- Migrations
    virtual char const* make_version_table() const = 0;
    virtual char const* count_version_table() const = 0; // SELECT of 1 or 0
};

dialect const& dialect_of(engine which);
dialect const& dialect_of(soci::session& session); // the variant for its server

} // namespace baton::storage
