#include "libs/storage/places.hpp"

namespace baton::storage {

void keep_places(statement& ask, dialect const& of, place_columns columns, relation which, execution_place const& with)
{
    static constexpr fragment with_equal[] = {{" < "}, {" > "}, {" >= "}};
    bool const earlier = which == relation::before;
    auto const reaching = with_equal[static_cast<std::size_t>(which)];
    fragment const strictly{earlier ? " < " : " > "};
    if (of.compares_rows())
        ask(" AND (", columns.at, ", ", columns.id, ")", reaching, "(", with.at, ", ", with.id, ")");
    else
        ask(" AND ((", columns.at, " = ", with.at, " AND ", columns.id, reaching, with.id, ") OR ", columns.at,
            strictly, with.at, ")");
}

} // namespace baton::storage
