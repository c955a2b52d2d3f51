#pragma once
// The option --payload.

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// JSON for a handler. Throws CLI::ValidationError that says what is wrong with the text.
nlohmann::json parse_payload(std::string const& text);

} // namespace baton::cli
