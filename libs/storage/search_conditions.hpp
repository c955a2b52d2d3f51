#pragma once
// Conditions of searches. For .cpp files that hold SQL.

#include "libs/protocol/term_id.hpp"
#include "libs/storage/statement.hpp"

#include <string>

namespace baton::storage {

// Appends the condition that the column contains the text. The case of letters does not matter; on SQLite, that of the
// letters A to Z. Not met by NULL.
inline void contains(statement& ask, fragment column, std::string const& text)
{
    ask("INSTR(LOWER(", column, "), LOWER(", text, ")) > 0");
}

// Appends " AND ...".
inline void either_contains(statement& ask, fragment one, fragment other, std::string const& text)
{
    ask(" AND (");
    contains(ask, one, text);
    ask(" OR ");
    contains(ask, other, text);
    ask(")");
}

// Appends a join that keeps the rows whose task has this service. It reads the tables on its left first, and one narrow
// entry of an index for each of their rows.
inline void join_service(statement& ask, soci::session& sql, protocol::namespace_id name_space, fragment task,
                         std::string const& service)
{
    ask(" ", dialect_of(sql).join_in_order(), " task s", by_index{"task_of_service"}, " ON s.namespace = ", name_space,
        " AND s.service = ", service, " AND s.id = ", task);
}

} // namespace baton::storage
