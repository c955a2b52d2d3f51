#pragma once
// Statements and checks that several repositories share. For .cpp files of this folder.

#include "libs/protocol/node_wire.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/skipped.hpp"
#include "libs/storage/statement.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace baton::storage {

// An UPDATE of many rows, each with values of its own: the rows become a table `v`, joined by id with the target `e`.
// The target is always reached by its primary key, in the order given, so that two such statements lock rows in the
// same order. A value that all rows share stands once in the statement instead of in each row of `v`.
class batch_update {
public:
    // The first of the columns is the id, which is called `key` in the target.
    batch_update(soci::session& sql, fragment target, std::initializer_list<char const*> columns,
                 fragment key = {"id"});

    template <class... Values>
    void row(Values const&... values)
    {
        (cell(values), ...);
    }

    // Once the rows are there: a column's value, for `set`, `more` and `where`. Valid as long as this object.
    operand operator[](std::string_view name) const;

    // Call set("a = ", update["a"]), then where(...), then execute().
    template <class... Parts>
    batch_update& set(Parts const&... parts)
    {
        begin_set();
        statement_(parts...);
        return *this;
    }
    template <class... Parts>
    batch_update& more(Parts const&... parts)
    {
        statement_(parts...);
        return *this;
    }
    template <class... Parts>
    batch_update& where(Parts const&... parts)
    {
        begin_where();
        statement_(parts...);
        return *this;
    }
    std::int64_t execute() { return statement_.execute(); }

private:
    struct column {
        std::string name; // "v.v_id"
        bool shared;      // by all rows so far
    };

    template <class Value>
    void cell(std::optional<Value> const& maybe)
    {
        if (maybe)
            cell(*maybe);
        else
            put({});
    }
    template <std::integral Number>
    void cell(Number number)
    {
        put(static_cast<std::int64_t>(number));
    }
    template <class Tag>
    void cell(id<Tag> which)
    {
        put(which.value());
    }
    void cell(duration span) { put(span.count()); }
    void cell(utc_time at) { put(to_micros(at)); }
    void cell(std::string_view text) { put(std::string(text)); }

    void put(operand value);
    void begin_set();
    void begin_where();
    void name_columns();
    void add_rows();
    void list_rows(std::size_t from);
    void add_row(std::size_t at, bool named);

    batch_form form_;
    fragment target_;
    fragment key_;
    std::vector<column> columns_;
    std::vector<operand> cells_; // row by row
    statement statement_;
};

// Throws not_master unless the fence still has this epoch. The first statement of every decision of a master.
void touch_fence(soci::session& sql, fence const& mine);

// The longest edit_lead of a master.
duration read_edit_lead(soci::session& sql);
// No master has fired anything that is due later.
utc_time read_fired_until(soci::session& sql);
// The epoch of the fence, the lowest of all namespaces; 0 without a fence. A row that is inserted after it was read was
// never known to a master of an earlier epoch, because each had ended when the fence was raised.
std::int64_t read_epoch(soci::session& sql);

// Multi-row inserts of planned executions. A taken key comes as statement_error (duplicate).
void insert_executions(soci::session& sql, protocol::term_id term, std::vector<new_execution> const& rows);

// Inserts skipped firings. A firing that has its row comes as statement_error (duplicate).
void insert_skipped(soci::session& sql, protocol::term_id term, std::vector<skipped_firings> const& parts);

// Adds those of these executions that have ended as failed or timed out to the table of failures, once each. Dead
// letters are added by add_dead_letters().
void add_failures(soci::session& sql, std::vector<execution_id> const& ids);

// Adds the requests to stop their present attempts.
void add_stops(soci::session& sql, std::vector<open_execution_row>& rows);

// Makes dead letters of those executions that have ended as failed or timed out, once each.
void add_dead_letters(soci::session& sql, std::vector<execution_id> const& ids);

// Inserts a signal for the master. A taken id comes as statement_error (duplicate).
void insert_signal(soci::session& sql, protocol::namespace_id name_space, signal_id id, protocol::signal_kind kind,
                   std::int64_t subject);
// A `run` signal for each execution, under the execution's own id.
void insert_run_signals(soci::session& sql, protocol::namespace_id name_space, std::vector<new_execution> const& rows);

// True if the duplicate is of that unique key. MySQL's message has the key's name, SQLite's its columns.
bool is_firing_taken(statement_error const& failure);
bool is_id_taken(statement_error const& failure);
bool is_task_name_taken(statement_error const& failure);

// Text that fits its column: valid UTF-8, at most `longest` bytes, cut between characters.
std::string fitting(std::string const& text, std::size_t longest);
// The same for columns of ASCII names.
std::optional<std::string> fitting_name(std::string const& text, std::size_t longest);

inline constexpr duration key_lifetime = 24h; // of an idempotency key

inline constexpr std::size_t longest_reason = 255;
inline constexpr std::size_t longest_error = 16u << 10;
inline constexpr std::size_t longest_name = 128;

} // namespace baton::storage
