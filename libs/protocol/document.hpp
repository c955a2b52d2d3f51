#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace baton::protocol {

enum class comments { refused, ignored };

// Parses JSON that a person or a program wrote: a configuration, or the body of a request to the API. Throws
// invalid_input for malformed text, bytes that are not UTF-8 and nesting deeper than 64, and also for a key that an
// object has twice, with the path of the key as the field ("schedule.cron"): other readers of JSON would take the last.
nlohmann::json parse_document(std::string const& text, comments allowed = comments::refused);

} // namespace baton::protocol
