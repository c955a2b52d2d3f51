#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace baton::protocol {

enum class comments { refused, ignored };

// Which part of a document is a payload: each member of this name, or all of it.
enum class payload_part { members, all };

inline constexpr int deepest_payload = 64; // levels; those of the document around it do not count

// Parses JSON that a person or a program wrote: a configuration, or the body of a request to the API. Throws
// invalid_input for malformed text, bytes that are not UTF-8 and nesting deeper than 64, and also for a key that an
// object has twice, with the path of the key as the field ("schedule.cron"): other readers of JSON would take the last.
// A payload is another program's document: a number in it that would be rounded is refused with its path.
nlohmann::json parse_document(std::string const& text, comments allowed = comments::refused,
                              payload_part payload = payload_part::members);

// The same for a payload by itself. The field of a refusal begins with "payload".
nlohmann::json parse_payload(std::string const& text);

// True if a number of this JSON would be rounded.
bool rounds_numbers(std::string const& text);

} // namespace baton::protocol
