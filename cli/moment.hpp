#pragma once

#include "libs/base/time.hpp"

#include <string>

namespace baton::cli {

// The instant that a person gives as RFC 3339 ("2026-12-24T18:00:00Z"), as a time ago ("90m", "2d"), or as "now".
// Throws invalid_input with this field for other text.
utc_time parse_moment(std::string const& text, std::string const& field, utc_time now);

} // namespace baton::cli
