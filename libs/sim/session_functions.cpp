#include "libs/sim/session_functions.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <exception>

namespace baton::sim {

namespace {

using namespace sqlite_api; // SOCI's header includes sqlite3.h in there

using number = session_functions::number;

bool is_null(sqlite3_value* value)
{
    return sqlite3_value_type(value) == SQLITE_NULL;
}

std::string name_of(sqlite3_value* value)
{
    return is_null(value) ? "" : reinterpret_cast<char const*>(sqlite3_value_text(value));
}

void give(sqlite3_context* context, number value)
{
    if (value)
        sqlite3_result_int64(context, *value);
    else
        sqlite3_result_null(context);
}

void give(sqlite3_context* context, std::string const& text)
{
    sqlite3_result_text(context, text.c_str(), -1, SQLITE_TRANSIENT);
}

// Converts exceptions to SQL errors, because no exception may pass through SQLite's C code.
template <auto ask>
void answer(sqlite3_context* context, int, sqlite3_value** values)
{
    try {
        give(context, ask(*static_cast<session_functions*>(sqlite3_user_data(context)), values));
    } catch (std::exception const& failure) {
        sqlite3_result_error(context, failure.what(), -1);
    }
}

number connection_id(session_functions& of, sqlite3_value**)
{
    return of.connection_id();
}

std::string server_id(session_functions& of, sqlite3_value**)
{
    return of.server_id();
}

number get_lock(session_functions& of, sqlite3_value** values)
{
    auto const name = name_of(values[0]);
    if (name.empty() || is_null(values[1]) || sqlite3_value_double(values[1]) < 0)
        return std::nullopt;
    return of.get_lock(name, sqlite3_value_double(values[1]));
}

number release_lock(session_functions& of, sqlite3_value** values)
{
    auto const name = name_of(values[0]);
    return name.empty() ? std::nullopt : of.release_lock(name);
}

number lock_holder(session_functions& of, sqlite3_value** values)
{
    auto const name = name_of(values[0]);
    return name.empty() ? std::nullopt : of.lock_holder(name);
}

number kill_query(session_functions& of, sqlite3_value** values)
{
    return of.kill_query(sqlite3_value_int64(values[0]));
}

number kill(session_functions& of, sqlite3_value** values)
{
    return of.kill(sqlite3_value_int64(values[0]));
}

} // namespace

void register_session_functions(soci::session& sql, session_functions& functions)
{
    auto* const raw = static_cast<soci::sqlite3_session_backend*>(sql.get_backend())->conn_;
    auto const add = [&](char const* name, int values, auto* function) {
        sqlite3_create_function_v2(raw, name, values, SQLITE_UTF8, &functions, function, nullptr, nullptr, nullptr);
    };
    add("baton_connection_id", 0, answer<connection_id>);
    add("baton_server_id", 0, answer<server_id>);
    add("baton_get_lock", 2, answer<get_lock>);
    add("baton_release_lock", 1, answer<release_lock>);
    add("baton_lock_holder", 1, answer<lock_holder>);
    add("baton_kill_query", 1, answer<kill_query>);
    add("baton_kill", 1, answer<kill>);
}

} // namespace baton::sim
