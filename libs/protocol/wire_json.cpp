#include "libs/protocol/wire_json.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

constexpr int deepest = 64; // nesting of a message, as of any body

nlohmann::json make_json(simdjson::ondemand::value in);

nlohmann::json make_list(simdjson::ondemand::array in)
{
    auto out = nlohmann::json::array();
    for (auto each : in)
        out.push_back(make_json(std::move(each)));
    return out;
}

nlohmann::json make_object(simdjson::ondemand::object in)
{
    auto out = nlohmann::json::object();
    for (auto each : in) {
        std::string key(std::string_view(each.unescaped_key()));
        out[std::move(key)] = make_json(each.value());
    }
    return out;
}

nlohmann::json make_json(simdjson::ondemand::value in)
{
    using kind = simdjson::ondemand::json_type;
    kind const which = in.type();
    if ((which == kind::array || which == kind::object) && in.current_depth() > deepest)
        throw invalid_input("", "JSON is nested deeper than " + std::to_string(deepest));
    switch (which) {
    case kind::array:
        return make_list(in.get_array());
    case kind::object:
        return make_object(in.get_object());
    case kind::string:
        return std::string(std::string_view(in.get_string()));
    case kind::boolean:
        return bool(in.get_bool());
    case kind::null:
    case kind::number: // the JSON library knows more of them
        break;
    }
    auto out = nlohmann::json::parse(in.raw_json_token(), nullptr, false);
    if (out.is_discarded())
        throw invalid_input("", "not JSON: neither a number nor null");
    return out;
}

} // namespace

void refuse_type(char const* name)
{
    throw invalid_input(name, std::string(name) + " has a value of the wrong type");
}

void refuse_number(char const* name)
{
    throw invalid_input(name, std::string(name) + " must be a whole number that fits");
}

void refuse_part()
{
    throw invalid_input("", "a message and its parts must be JSON objects");
}

void read_value(simdjson::ondemand::value& in, char const* name, bool& out)
{
    if (in.get_bool().get(out) != simdjson::SUCCESS)
        refuse_type(name);
}

void read_value(simdjson::ondemand::value& in, char const* name, std::string& out)
{
    std::string_view text;
    if (in.get_string().get(text) != simdjson::SUCCESS)
        refuse_type(name);
    out = text;
}

void read_value(simdjson::ondemand::value& in, char const*, nlohmann::json& out)
{
    out = make_json(in);
}

void append_json(std::string& out, std::string const& text)
{
    // What needs no escapes is copied; the rest is the library's.
    bool const plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
    if (plain)
        out.append("\"").append(text).append("\"");
    else
        out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The library's own writing looks at each character of each string.
void append_json(std::string& out, nlohmann::json const& value)
{
    if (value.is_object()) {
        out += '{';
        for (auto const& [name, member] : value.items()) {
            if (out.back() != '{')
                out += ',';
            append_json(out, name);
            out += ':';
            append_json(out, member);
        }
        out += '}';
    } else if (value.is_array()) {
        append_json(out, value.get_ref<nlohmann::json::array_t const&>());
    } else if (value.is_string()) {
        append_json(out, value.get_ref<std::string const&>());
    } else {
        out += value.dump();
    }
}

void append_json(std::string& out, bool value)
{
    out += value ? "true" : "false";
}

} // namespace baton::protocol
