#include "libs/protocol/handler_context.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

namespace baton::protocol {

namespace {

constexpr char how_it_is[] = R"(context must be an array such as ["previous", "last_success"])";

void add(handler_context& context, std::string const& name)
{
    bool* const part = name == "previous"       ? &context.previous
                       : name == "last_success" ? &context.last_success
                                                : nullptr;
    if (part == nullptr)
        throw invalid_input("context", "context has " + in_quotes(name) + ", which is none of previous, last_success");
    if (*part)
        throw invalid_input("context", "context names " + in_quotes(name) + " twice");
    *part = true;
}

} // namespace

handler_context parse_context(nlohmann::json const& value)
{
    if (!value.is_array())
        throw invalid_input("context", how_it_is);
    handler_context context;
    for (auto const& each : value) {
        if (!each.is_string())
            throw invalid_input("context", how_it_is);
        add(context, each.get<std::string>());
    }
    return context;
}

nlohmann::json to_json(handler_context const& context)
{
    auto parts = nlohmann::json::array();
    if (context.previous)
        parts.push_back("previous");
    if (context.last_success)
        parts.push_back("last_success");
    return parts;
}

} // namespace baton::protocol
