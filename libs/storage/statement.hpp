#pragma once
// A statement built of SQL literals, numbers as digits, and bound texts. For .cpp files that hold SQL. A std::string is
// always a bound value and never SQL, so no value can change the statement.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/dialect.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace baton::storage {

// A part of a statement that is only known at run time; monostate is NULL.
using operand = std::variant<std::monostate, std::int64_t, std::string, fragment>;

// Parts of a statement that each dialect writes in its own way.
struct by_index { // behind a table and its alias: the index to read it by
    char const* name;
};
struct refused_value { // in an assignment behind on_taken(): the value that the INSERT could not insert
    char const* column;
};

fragment now_us(soci::session& sql);       // the database's now in microseconds, as an expression
fragment for_update(soci::session& sql);   // lock clause; empty where the transaction holds the write lock
fragment skip_locked(soci::session& sql);  // likewise; rows that another transaction has locked are left out
std::int64_t read_now(soci::session& sql); // the database's now in microseconds

// A row of an answer, read from left to right.
class row {
public:
    row(std::vector<std::string>& cells, std::vector<bool> const& nulls) : cells_(cells), nulls_(nulls) {}

    std::int64_t number();
    std::string text();
    std::optional<std::int64_t> maybe_number();
    std::optional<std::string> maybe_text();
    utc_time moment() { return from_micros(number()); }
    std::optional<utc_time> maybe_moment();
    int small() { return static_cast<int>(number()); }
    bool flag() { return number() != 0; }
    template <class Id>
    Id name()
    {
        return Id{number()};
    }
    bool complete() const { return next_ == cells_.size(); }

private:
    std::vector<std::string>& cells_;
    std::vector<bool> const& nulls_;
    std::size_t next_ = 0;
};

class statement {
public:
    template <class... Parts>
    explicit statement(soci::session& sql, Parts const&... parts) : sql_(sql), dialect_(dialect_of(sql))
    {
        (add(parts), ...);
    }

    // Appends literals as SQL, everything else as a value.
    template <class... Parts>
    statement& operator()(Parts const&... parts)
    {
        (add(parts), ...);
        return *this;
    }

    // "SELECT a, b, c" for the columns that `each` will read.
    template <std::size_t... Lengths>
    statement& select(char const (&... columns)[Lengths])
    {
        (column(fragment{columns}), ...);
        return *this;
    }
    statement& column(fragment what)
    {
        text_ += columns_ == 0 ? "SELECT " : ", ";
        text_ += what.text;
        ++columns_;
        return *this;
    }

    // " RETURNING a, b" of the changed rows, for `each`. Only where dialect::returns_rows().
    template <std::size_t Length, std::size_t... Lengths>
    statement& returning(char const (&first)[Length], char const (&... others)[Lengths])
    {
        columns_ = 1 + sizeof...(others);
        text_.append(" RETURNING ").append(first);
        (text_.append(", ").append(others), ...);
        return *this;
    }

    // "(value, value, ...)"
    template <class Id>
    statement& in(std::span<Id const> ids)
    {
        char const* between = "(";
        for (auto const& each : ids) {
            text_ += between;
            add(each);
            between = ", ";
        }
        text_ += ')';
        return *this;
    }

    // "DELETE FROM table AS e WHERE ", by the index, or by the primary key.
    statement& delete_from(char const* table, char const* index = nullptr)
    {
        text_ += dialect_.delete_from(table, index);
        return *this;
    }

    // Behind an INSERT: where the key is taken, the row gets the new values of these columns. More assignments may
    // follow, each behind a comma.
    statement& on_taken(char const* key, std::initializer_list<char const*> columns);

    std::int64_t execute(); // Returns the number of rows matched, not of rows changed.
    void each(std::function<void(row&)> const& take);

private:
    template <std::size_t Length>
    void add(char const (&literal)[Length])
    {
        text_ += literal;
    }
    void add(fragment literal) { text_ += literal.text; }
    void add(by_index index) { text_ += dialect_.index_hint(index.name); }
    void add(refused_value value) { text_ += dialect_.inserted(value.column); }
    void add(std::string text);
    void add(std::string_view text) { add(std::string(text)); }
    void add(std::monostate) { text_ += "NULL"; }
    void add(operand const& either)
    {
        std::visit([this](auto const& one) { add(one); }, either);
    }
    template <std::integral Number>
    void add(Number number)
    {
        add(static_cast<std::int64_t>(number));
    }
    void add(std::int64_t number);
    void add(duration span) { add(span.count()); }
    void add(utc_time at) { add(to_micros(at)); }
    template <class Tag>
    void add(id<Tag> which)
    {
        add(which.value());
    }
    template <class Value>
    void add(std::optional<Value> const& maybe)
    {
        if (maybe)
            add(*maybe);
        else
            add(std::monostate{});
    }

    soci::session& sql_;
    dialect const& dialect_;
    std::string text_;
    std::size_t columns_ = 0;
    std::deque<std::string> values_; // bound to the placeholders; a deque, since their addresses must stay
};

// The slices of `rows` that one statement each may carry, where a row binds `width` values.
template <class Row>
std::vector<std::span<Row const>> chunks(dialect const& dialect, std::vector<Row> const& rows, std::size_t width)
{
    auto const step = std::min(dialect.most_rows(), dialect.most_values() / width);
    std::vector<std::span<Row const>> found;
    for (std::span<Row const> left(rows); !left.empty(); left = left.subspan(std::min(step, left.size())))
        found.push_back(left.first(std::min(step, left.size())));
    return found;
}
template <class Row>
std::vector<std::span<Row const>> chunks(soci::session& sql, std::vector<Row> const& rows, std::size_t width)
{
    return chunks(dialect_of(sql), rows, width);
}

} // namespace baton::storage
