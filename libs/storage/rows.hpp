#pragma once
// What several repositories write in the same way. For .cpp files of this folder.

#include "libs/protocol/node_wire.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/query.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace baton::storage {

// An UPDATE of many rows, each with values of its own: the rows become a table `v` (columns with the prefix v_, the
// first of them v_id), joined by id with the target `e`. The target is always reached by its primary key, in the order
// given, so that two such statements lock rows in the same order.
class batch_update {
public:
    batch_update(soci::session& sql, fragment target, std::initializer_list<char const*> columns);

    template <class... Values>
    void row(Values const&... values)
    {
        begin_row();
        (value(values), ...);
        end_row();
    }

    // Once the rows are there: `set("a = v.v_a")`, then `where(...)`; then `execute`.
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
    void begin_row();
    void end_row();
    void begin_set();
    void begin_where();
    template <class Value>
    void value(Value const& what)
    {
        statement_(fragment{column_ == 0 ? "" : ", "}, what);
        if (!sqlite_ && rows_ == 1)
            statement_(" AS v_", fragment{columns_[column_]});
        ++column_;
    }

    bool sqlite_;
    fragment target_;
    std::vector<char const*> columns_;
    query statement_;
    std::size_t rows_ = 0;
    std::size_t column_ = 0;
};

// Throws not_master unless the fence still carries this epoch. The first statement of whatever a master decides.
void touch_fence(soci::session& sql, fence const& mine);

// Multi-row inserts of planned executions. A taken key comes as statement_error (duplicate).
void insert_executions(soci::session& sql, std::vector<new_execution> const& rows, std::int64_t epoch);

// What web did, for the master. A taken id comes as statement_error (duplicate).
void insert_signal(soci::session& sql, signal_id id, protocol::signal_kind kind, std::int64_t subject);

// Whether a duplicate is that of the unique key (its name on MySQL, its first column on SQLite).
bool is_firing_taken(statement_error const& failure);
bool is_task_name_taken(statement_error const& failure);

// Ends a transaction that is to be tried again with other ids or a later instant; no failure of the database.
struct try_again {};
inline constexpr int most_fresh_tries = 5;

// Text that fits its column: valid UTF-8, at most `longest` bytes, cut between characters.
std::string fitting(std::string const& text, std::size_t longest);
// The same for columns of ASCII names.
std::optional<std::string> fitting_name(std::string const& text, std::size_t longest);

inline constexpr duration key_lifetime = 24h; // of an idempotency key

inline constexpr std::size_t longest_reason = 255;
inline constexpr std::size_t longest_error = 16u << 10;
inline constexpr std::size_t longest_name = 128;

} // namespace baton::storage
