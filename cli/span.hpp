#pragma once

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace baton::cli {

// A span for people, in its two largest units: "312 ms", "4.2 s", "11 min 28 s", "3 h 5 min", "2 d 4 h".
std::string span_text(std::int64_t milliseconds);

// The same of a member; "-" for null and for a member that is absent.
std::string span_cell(nlohmann::json const& object, char const* key);

// The milliseconds of an option's text, such as 90s. Throws CLI::ValidationError, naming the option, for a text that is
// no span and for one out of the bounds.
std::int64_t option_span(char const* option, std::string const& text, duration least, duration longest);

} // namespace baton::cli
