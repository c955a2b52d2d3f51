#include "libs/protocol/wire_json.hpp"

#include <algorithm>
#include <tuple>

namespace baton::protocol {

namespace {

using json_kind = simdjson::ondemand::json_type;

constexpr int depth_limit = 64; // levels of a value inside a message

void check_number(simdjson::ondemand::value& in)
{
    std::int64_t whole = 0;
    double real = 0;
    if (in.get_int64().get(whole) != simdjson::SUCCESS && in.get_double().get(real) != simdjson::SUCCESS)
        throw simdjson::simdjson_error(simdjson::TAPE_ERROR);
}

// The parser checks only what is read, so every part is read once.
void check_value(simdjson::ondemand::value in, int levels)
{
    auto const kind = in.type().value();
    if ((kind == json_kind::array || kind == json_kind::object) && levels == 0)
        throw invalid_input("", "JSON is nested deeper than " + std::to_string(depth_limit));
    switch (kind) {
    case json_kind::array:
        for (auto each : in.get_array())
            check_value(each.value(), levels - 1);
        break;
    case json_kind::object:
        for (auto each : in.get_object()) {
            each.unescaped_key().value();
            check_value(each.value(), levels - 1);
        }
        break;
    case json_kind::string:
        in.get_string().value();
        break;
    case json_kind::boolean:
        in.get_bool().value();
        break;
    case json_kind::null:
        if (!in.is_null().value())
            throw simdjson::simdjson_error(simdjson::TAPE_ERROR);
        break;
    case json_kind::number:
        check_number(in);
        break;
    }
}

} // namespace

thread_local bool text_ids::in_use_ = false;

std::int64_t id_in_text(std::string_view text, char const* name)
{
    std::int64_t value = 0;
    auto const end = text.data() + text.size();
    auto const [stopped, wrong] = std::from_chars(text.data(), end, value);
    if (text.empty() || wrong != std::errc{} || stopped != end)
        throw invalid_input(name, std::string(name) + " must be an id: a whole number, or the same as decimal text");
    return value;
}

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

std::string_view without_mark(std::string_view text)
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    return text;
}

// The other parser tells where the text is wrong.
void refuse_text(std::string_view text, char const* why)
{
    auto const drop = [](int, nlohmann::json::parse_event_t, nlohmann::json&) { return false; };
    std::string reason = why;
    try {
        std::ignore = nlohmann::json::parse(text, drop);
        if (auto const first = text.find_first_not_of(" \t\r\n"); first != text.npos && text[first] != '{')
            refuse_part();
    } catch (nlohmann::json::exception const& wrong) {
        reason = wrong.what(); // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
        if (auto const end = reason.find("] "); end != std::string::npos)
            reason.erase(0, end + 2);
    }
    throw invalid_input("", "not JSON: " + reason);
}

void skip_value(simdjson::ondemand::value& in)
{
    check_value(in, depth_limit);
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

std::string whole_text(simdjson::ondemand::value& in, int levels)
{
    char const* const begin = in.raw_json_token().data();
    check_value(in, levels);
    std::string_view const text(begin, static_cast<std::size_t>(in.current_location().value() - begin));
    return std::string(text.substr(0, text.find_last_not_of(" \t\r\n") + 1)); // without what precedes the next token
}

void read_value(simdjson::ondemand::value& in, char const*, json_text& out)
{
    out = json_text::checked(whole_text(in, depth_limit));
}

void append_json(std::string& out, std::string const& text)
{
    // Plain text is copied; escapes are left to the library.
    bool const plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
    if (plain)
        out.append("\"").append(text).append("\"");
    else
        out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json(std::string& out, json_text const& value)
{
    out += value.view();
}

void append_json(std::string& out, bool value)
{
    out += value ? "true" : "false";
}

} // namespace baton::protocol
