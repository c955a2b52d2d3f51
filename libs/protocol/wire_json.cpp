#include "libs/protocol/wire_json.hpp"

#include <algorithm>

namespace baton::protocol {

void append_json(std::string& out, std::string const& text)
{
    // What needs no escapes is copied; the rest is the library's.
    bool const plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
    if (plain)
        out.append("\"").append(text).append("\"");
    else
        append_json(out, nlohmann::json(text));
}

void append_json(std::string& out, nlohmann::json const& value)
{
    out += value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json(std::string& out, bool value)
{
    out += value ? "true" : "false";
}

} // namespace baton::protocol
