#pragma once
// Conditions on the place of a row in a list that is ordered by a time and then by id. For .cpp files that hold SQL.

#include "libs/storage/executions.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

enum class relation { before, behind, from }; // <, >, >=

struct place_columns {
    fragment at;
    fragment id;
};

// Appends " AND ...", in the form that the database reads as one range of the index.
void keep_places(statement& ask, dialect const& of, place_columns columns, relation which, execution_place const& with);

} // namespace baton::storage
