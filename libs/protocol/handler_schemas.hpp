#pragma once
// JSON Schemas of payloads and descriptions of handlers, which clients announce for people. Nodes store them and web
// shows them; nothing validates payloads against them.

#include "libs/protocol/json_text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace baton::protocol {

struct handler_schema {
    std::string handler;
    json_text schema;        // of its payload: an object, true or false; null: none
    std::string description; // one line; empty: none
    bool operator==(handler_schema const&) const = default;
};

inline constexpr std::size_t most_schema_bytes = 8u << 10;      // of one handler
inline constexpr std::size_t most_schemas_bytes = 64u << 10;    // of all handlers of a client, with their names
inline constexpr std::size_t longest_handler_description = 200; // characters

std::size_t bytes_of(handler_schema const& one); // as the limits count

// Throws invalid_input for the field "schemas", with the handler, the reason and the remedy.
void check(handler_schema const& one);
handler_schema checked_schema(std::string handler, std::string description, nlohmann::json const& schema);
// Checks the schemas of one client. `handlers`: those that it serves; each may be announced once.
void check(std::vector<handler_schema> const& all, std::vector<std::string> const& handlers);

// All that one build of a service announces, as one JSON text. The order of the list makes no difference.
std::string document_of(std::vector<handler_schema> all);
std::vector<handler_schema> parse_schema_document(std::string const& text);
// The name of a document: 32 hexadecimal digits that follow from its text.
std::string schema_set_of(std::string const& document);

void to_json(nlohmann::json& out, handler_schema const& in);
void from_json(nlohmann::json const& in, handler_schema& out);

} // namespace baton::protocol
