#include "libs/protocol/handler_schemas.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/digest.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/wire_macros.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace baton::protocol {

namespace {

constexpr std::size_t digits_of_name = 32;

[[noreturn]] void refuse(std::string const& why)
{
    throw invalid_input("schemas", "schemas: " + why);
}

bool is_schema(std::string_view text)
{
    return text.starts_with('{') || text == "true" || text == "false";
}

} // namespace

BATON_LEAN_WIRE(handler_schema, handler, schema, description)

std::size_t bytes_of(handler_schema const& one)
{
    return one.handler.size() + (one.schema.is_null() ? 0 : one.schema.size()) + one.description.size();
}

void check(handler_schema const& one)
{
    auto const of = " of the handler " + in_quotes(one.handler);
    if (one.schema.is_null() && one.description.empty())
        refuse("the entry" + of + " announces nothing: give it a schema or a description, or leave it out");
    if (!one.schema.is_null() && !is_schema(one.schema.view()))
        refuse("the schema" + of + R"( must be a JSON Schema: an object such as {"type": "object"}, true or false)");
    if (count_characters(one.description) > longest_handler_description || has_control(one.description))
        refuse("the description" + of + " must be one line of at most " + std::to_string(longest_handler_description) +
               " characters");
    if (auto const bytes = bytes_of(one); bytes > most_schema_bytes)
        refuse("the entry" + of + " has " + std::to_string(bytes) + " bytes and may have " +
               std::to_string(most_schema_bytes) + ": shorten the schema, or leave it out");
}

handler_schema checked_schema(std::string handler, std::string description, nlohmann::json const& schema)
{
    handler_schema made;
    made.handler = std::move(handler);
    made.description = std::move(description);
    made.schema = json_text(schema);
    check(made);
    return made;
}

void check(std::vector<handler_schema> const& all, std::vector<std::string> const& handlers)
{
    if (all.empty())
        return;
    std::set<std::string_view> unannounced(handlers.begin(), handlers.end());
    std::set<std::string_view> const served = unannounced;
    std::size_t bytes = 0;
    for (auto const& one : all) {
        if (!served.contains(one.handler))
            refuse("the handler " + in_quotes(one.handler) + " is not among handlers: add it there, or leave it out");
        if (unannounced.erase(one.handler) == 0)
            refuse("the handler " + in_quotes(one.handler) + " has two entries: leave one out");
        check(one);
        bytes += bytes_of(one);
    }
    if (bytes > most_schemas_bytes)
        refuse("all entries together have " + std::to_string(bytes) + " bytes and may have " +
               std::to_string(most_schemas_bytes) + ": shorten some schemas, or leave them out");
}

std::string document_of(std::vector<handler_schema> all)
{
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.handler < b.handler; });
    std::string text;
    append_json(text, all);
    return text;
}

std::vector<handler_schema> parse_schema_document(std::string const& text)
{
    return nlohmann::json::parse(text).get<std::vector<handler_schema>>();
}

std::string schema_set_of(std::string const& document)
{
    return hmac_sha256_hex("baton handler schemas", document).substr(0, digits_of_name);
}

} // namespace baton::protocol
