#pragma once
// For .cpp files that hold SQL: one statement whose text is made of literals, of numbers as their digits, and of bound
// texts. A std::string given to it is a value, never SQL, so no value can change what a statement does.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/storage/database.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace baton::storage {

// A piece of SQL that our code chose.
struct fragment {
    char const* text;
    bool operator==(fragment const&) const = default;
};

// A piece or a value of which the program that runs decides what it is; monostate is NULL.
using operand = std::variant<std::monostate, std::int64_t, std::string, fragment>;

storage::engine engine_of(soci::session& sql);
std::int64_t session_number(soci::session& sql); // by which MySQL's KILL knows it; 0 on SQLite. Asks no server
std::int64_t last_insert_id(soci::session& sql); // what the statement before gave to MySQL's function. Asks no server
bool knows_values(soci::session& sql);           // whether UNION ALL takes VALUES. Asks no server
bool on_galera(soci::session& sql);              // a node of a cluster: locks on its rows are its own
fragment now_us(soci::session& sql);             // the database's now in microseconds, as an expression
fragment for_update(soci::session& sql);         // " FOR UPDATE", or nothing where the transaction holds the write lock
std::int64_t read_now(soci::session& sql);       // the same as a value
std::size_t rows_at_once(std::size_t width);     // how many rows of `width` values one statement may carry

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
    explicit statement(soci::session& sql, Parts const&... parts) : sql_(sql), engine_(engine_of(sql))
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

    // " RETURNING a, b" of what was changed, for `each`: a statement less. SQLite only.
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
    statement& in(std::vector<Id> const& ids, std::size_t from, std::size_t until)
    {
        for (auto i = from; i < until; ++i) {
            text_ += i == from ? "(" : ", ";
            add(ids[i]);
        }
        text_ += ')';
        return *this;
    }

    std::int64_t execute(); // rows matched (not: changed)
    void each(std::function<void(row&)> const& take);

private:
    template <std::size_t Length>
    void add(char const (&literal)[Length])
    {
        text_ += literal;
    }
    void add(fragment literal) { text_ += literal.text; }
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
    storage::engine engine_;
    std::string text_;
    std::size_t columns_ = 0;
    std::deque<std::string> values_; // that its marks stand for, at addresses that stay
};

} // namespace baton::storage
