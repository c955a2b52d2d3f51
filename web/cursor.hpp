#pragma once
// Cursors: where the next page of a list begins. A cursor names its list, so that another list's is refused and not
// read as a place in this one. Opaque to callers.

#include "web/query_parameters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::web {

enum class list_of { tasks, versions, executions, terms, skipped, dead_letters, calendars, calendar_versions };

// `place` holds positive numbers, as many as the list needs: 2 for executions and dead letters, 1 for the others.
std::string write_cursor(list_of which, std::vector<std::int64_t> const& place);

// The query parameter "after", or nothing without it. Throws invalid_input (400) that names a cursor of another list.
std::optional<std::vector<std::int64_t>> read_cursor(query_parameters& asked, list_of which);

// The same for a cursor from elsewhere in a request, as its member "after".
std::vector<std::int64_t> parse_cursor(std::string const& text, list_of which);

} // namespace baton::web
