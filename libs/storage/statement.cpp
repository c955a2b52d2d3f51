#include "libs/storage/statement.hpp"

#include "libs/storage/detail.hpp"

#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>

#include <charconv>

namespace baton::storage {

namespace {

// MySQL: bounded by max_allowed_packet; SQLite: by 32,766 bound values in a statement.
constexpr std::size_t most_rows = 500;
constexpr std::size_t most_values = 30'000;

} // namespace

storage::engine engine_of(soci::session& sql)
{
    return sql.get_backend_name() == "sqlite3" ? engine::sqlite : engine::mysql;
}

namespace {

MYSQL* connection(soci::session& sql)
{
    return static_cast<soci::mysql_session_backend*>(sql.get_backend())->conn_;
}

} // namespace

std::int64_t session_number(soci::session& sql)
{
    return engine_of(sql) == engine::sqlite ? 0 : static_cast<std::int64_t>(mysql_thread_id(connection(sql)));
}

std::int64_t last_insert_id(soci::session& sql)
{
    return engine_of(sql) == engine::sqlite ? 0 : static_cast<std::int64_t>(mysql_insert_id(connection(sql)));
}

bool knows_values(soci::session& sql)
{
    constexpr unsigned long first = 100'300; // MySQL writes VALUES ROW(...)
    return engine_of(sql) == engine::mysql && mysql_get_server_version(connection(sql)) >= first &&
           std::string_view(mysql_get_server_info(connection(sql))).find("MariaDB") != std::string_view::npos;
}

fragment now_us(soci::session& sql)
{
    // UTC_TIMESTAMP is frozen at the statement's start, and no session setting but `timestamp` touches it.
    return engine_of(sql) == engine::sqlite ? fragment{"baton_now_us()"}
                                            : fragment{"TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"};
}

fragment for_update(soci::session& sql)
{
    return engine_of(sql) == engine::sqlite ? fragment{""} : fragment{" FOR UPDATE"};
}

std::int64_t read_now(soci::session& sql)
{
    std::int64_t now = 0;
    statement(sql).column(now_us(sql)).each([&](row& answer) { now = answer.number(); });
    return now;
}

std::size_t rows_at_once(std::size_t width)
{
    return std::min(most_rows, most_values / width);
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
    // SOCI knows only ":name" on MySQL; on SQLite one name would be one parameter, so there it is the plain mark.
    text_ += engine_ == engine::sqlite ? "?" : ":v";
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
