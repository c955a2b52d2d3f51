#include "libs/storage/statement.hpp"

#include "libs/storage/detail.hpp"

#include <soci/soci.h>

#include <charconv>

namespace baton::storage {

fragment now_us(soci::session& sql)
{
    return dialect_of(sql).now_us();
}

fragment for_update(soci::session& sql)
{
    return dialect_of(sql).for_update();
}

fragment skip_locked(soci::session& sql)
{
    return dialect_of(sql).skip_locked();
}

std::int64_t read_now(soci::session& sql)
{
    std::int64_t now = 0;
    statement(sql).column(now_us(sql)).each([&](row& answer) { now = answer.number(); });
    return now;
}

std::int64_t row::number()
{
    auto const found = maybe_number();
    if (!found)
        throw statement_error(statement_error::kind::refused, "a column that must hold a number is NULL");
    return *found;
}

std::string row::text()
{
    return maybe_text().value_or(std::string());
}

std::optional<std::int64_t> row::maybe_number()
{
    auto const at = next_++;
    if (nulls_[at])
        return std::nullopt;
    std::int64_t value = 0;
    auto const& cell = cells_[at];
    auto const [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (failure != std::errc{} || end != cell.data() + cell.size())
        throw statement_error(statement_error::kind::refused, "a column that must hold a number holds '" + cell + "'");
    return value;
}

std::optional<std::string> row::maybe_text()
{
    auto const at = next_++;
    if (nulls_[at])
        return std::nullopt;
    return std::move(cells_[at]);
}

std::optional<utc_time> row::maybe_moment()
{
    auto const found = maybe_number();
    return found ? std::optional(from_micros(*found)) : std::nullopt;
}

void statement::add(std::string text)
{
    text_ += dialect_.placeholder().text;
    values_.push_back(std::move(text));
}

void statement::add(std::int64_t number)
{
    std::array<char, 24> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    std::string_view const text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    if (number < 0) // a minus before it would begin a comment
        text_.append("(").append(text).append(")");
    else
        text_ += text;
}

statement& statement::on_taken(char const* key, std::initializer_list<char const*> columns)
{
    text_ += dialect_.on_taken(key);
    char const* between = "";
    for (auto const* column : columns) {
        text_.append(between).append(column).append(" = ");
        add(refused_value{column});
        between = ", ";
    }
    return *this;
}

namespace {

void prepare(soci::statement& prepared, std::string const& text, std::deque<std::string>& values)
{
    for (auto& value : values)
        prepared.exchange(soci::use(value));
    prepared.alloc();
    prepared.prepare(text);
    prepared.define_and_bind();
}

[[noreturn]] void rethrow_translated()
{
    if (auto failure = database_failure())
        throw statement_error(std::move(*failure));
    throw;
}

} // namespace

std::int64_t statement::execute()
{
    try {
        soci::statement prepared(sql_);
        prepare(prepared, text_, values_);
        prepared.execute(true);
        return prepared.get_affected_rows();
    } catch (soci::soci_error const&) {
        rethrow_translated();
    }
}

void statement::each(std::function<void(row&)> const& take)
{
    std::vector<std::string> cells(columns_);
    std::vector<soci::indicator> states(columns_);
    std::vector<bool> nulls(columns_);
    try {
        soci::statement prepared(sql_);
        for (std::size_t i = 0; i < columns_; ++i)
            prepared.exchange(soci::into(cells[i], states[i]));
        prepare(prepared, text_, values_);
        prepared.execute();
        while (prepared.fetch()) {
            for (std::size_t i = 0; i < columns_; ++i)
                nulls[i] = states[i] == soci::i_null;
            row answer(cells, nulls);
            take(answer);
            if (!answer.complete())
                throw statement_error(statement_error::kind::refused, "not every column was read: " + text_);
        }
    } catch (soci::soci_error const&) {
        rethrow_translated();
    }
}

} // namespace baton::storage
