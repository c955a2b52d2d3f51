#pragma once
// For the .cpp files of this folder: reading and writing the members of messages, for the macros in wire_macros.hpp. A
// missing member takes the struct's default and an unknown one is ignored. A member of another type, or a number that
// does not fit, is refused by name; the JSON library would convert it.

#include "libs/base/error.hpp"
#include "libs/base/id.hpp"
#include "libs/protocol/client_wire.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <simdjson.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace baton {

namespace protocol {
// An id as decimal text. Throws invalid_input, which names the member, for any other text.
std::int64_t id_in_text(std::string_view text, char const* name);
}

// On the wire an id is a number, or for a client that asks for it text. Both are read.
template <class Tag>
void to_json(nlohmann::json& out, id<Tag> const& in)
{
    out = in.value();
}

template <class Tag>
void from_json(nlohmann::json const& in, id<Tag>& out)
{
    out = id<Tag>{in.is_string() ? protocol::id_in_text(in.get_ref<std::string const&>(), "item")
                                 : in.get<std::int64_t>()};
}

} // namespace baton

namespace baton::protocol {

// In client_wire.cpp, for the messages between nodes that hold one.
void append_json(std::string& out, dispatch const& in);
void read_fields(simdjson::ondemand::object& in, dispatch& out);
void append_json(std::string& out, attempt_key const& in);
void read_fields(simdjson::ondemand::object& in, attempt_key& out);
void append_json(std::string& out, term_id const& in);
void read_fields(simdjson::ondemand::object& in, term_id& out);
void append_json(std::string& out, held_execution const& in);
void read_fields(simdjson::ondemand::object& in, held_execution& out);
// In handler_schemas.cpp.
void append_json(std::string& out, handler_schema const& in);
void read_fields(simdjson::ondemand::object& in, handler_schema& out);

[[noreturn]] void refuse_type(char const* name);
[[noreturn]] void refuse_number(char const* name);
[[noreturn]] void refuse_part(); // it is not an object

template <class Number>
Number fitting(nlohmann::json const& value, char const* name)
{
    bool const fits = value.is_number_unsigned()  ? std::in_range<Number>(value.get<std::uint64_t>())
                      : value.is_number_integer() ? std::in_range<Number>(value.get<std::int64_t>())
                                                  : false;
    if (!fits)
        refuse_number(name);
    return value.get<Number>();
}

template <class Member>
inline constexpr bool is_id = false;
template <class Tag>
inline constexpr bool is_id<id<Tag>> = true;

template <class Member>
Member convert(nlohmann::json const& value, char const* name)
{
    try {
        return value.get<Member>();
    } catch (nlohmann::json::exception const&) {
        refuse_type(name);
    }
}

template <std::integral Member>
requires(!std::same_as<Member, bool>) Member convert(nlohmann::json const& value, char const* name)
{
    return fitting<Member>(value, name);
}

template <named Member>
Member convert(nlohmann::json const& value, char const* name)
{
    if (!value.is_string())
        refuse_type(name);
    return parse<Member>(value.get_ref<std::string const&>(), name);
}

template <class Member>
requires is_id<Member> Member convert(nlohmann::json const& value, char const* name)
{
    if (value.is_string())
        return Member{id_in_text(value.get_ref<std::string const&>(), name)};
    return Member{fitting<std::int64_t>(value, name)};
}

template <class Member>
void read_member(nlohmann::json const& object, char const* name, Member& out, Member const& otherwise)
{
    if (!object.is_object())
        refuse_part();
    auto const found = object.find(name);
    out = found == object.end() ? otherwise : convert<Member>(*found, name);
}

template <class Member>
void write_member(nlohmann::json& object, char const* name, Member const& value)
{
    object[name] = value;
}

void read_value(simdjson::ondemand::value& in, char const* name, bool& out);
void read_value(simdjson::ondemand::value& in, char const* name, std::string& out);
void read_value(simdjson::ondemand::value& in, char const* name, json_text& out);
void skip_value(simdjson::ondemand::value& in); // checks that it is JSON
// Its text as it is, checked to be JSON of at most so many levels.
std::string whole_text(simdjson::ondemand::value& in, int levels);

template <std::integral Number>
void read_value(simdjson::ondemand::value& in, char const* name, Number& out)
{
    std::int64_t whole = 0;
    if (in.get_int64().get(whole) != simdjson::SUCCESS || !std::in_range<Number>(whole))
        refuse_number(name);
    out = static_cast<Number>(whole);
}

template <class Tag>
void read_value(simdjson::ondemand::value& in, char const* name, id<Tag>& out)
{
    std::int64_t whole = 0;
    std::string_view text;
    if (in.type() == simdjson::ondemand::json_type::string && in.get_string().get(text) == simdjson::SUCCESS)
        whole = id_in_text(text, name);
    else
        read_value(in, name, whole);
    out = id<Tag>{whole};
}

template <named Enum>
void read_value(simdjson::ondemand::value& in, char const* name, Enum& out)
{
    std::string_view text;
    if (in.get_string().get(text) != simdjson::SUCCESS)
        refuse_type(name);
    out = parse<Enum>(text, name);
}

template <class Part>
requires std::is_class_v<Part>
void read_value(simdjson::ondemand::value& in, char const*, Part& out)
{
    simdjson::ondemand::object object;
    if (in.get_object().get(object) != simdjson::SUCCESS)
        refuse_part();
    out = {};
    read_fields(object, out);
}

template <class Item>
void read_value(simdjson::ondemand::value& in, char const* name, std::vector<Item>& out)
{
    simdjson::ondemand::array list;
    if (in.get_array().get(list) != simdjson::SUCCESS)
        refuse_type(name);
    out.clear();
    for (auto each : list) {
        simdjson::ondemand::value item = std::move(each);
        read_value(item, name, out.emplace_back());
    }
}

// False if the field is not this member.
template <class Member>
bool read_field(std::string_view key, simdjson::ondemand::value& in, char const* name, Member& out)
{
    if (key != name)
        return false;
    read_value(in, name, out);
    return true;
}

std::string_view without_mark(std::string_view text); // without a byte order mark, which JSON readers may ignore
[[noreturn]] void refuse_text(std::string_view text, char const* why);

template <class Message>
void read_message(std::string_view text, Message& out)
{
    text = without_mark(text);
    try {
        simdjson::padded_string const padded(text);
        simdjson::ondemand::parser parser;
        simdjson::ondemand::document document = parser.iterate(padded);
        simdjson::ondemand::value whole = document.get_value();
        read_value(whole, "", out);
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
            throw invalid_input("", "not JSON: something follows the message");
    } catch (simdjson::simdjson_error const& wrong) {
        refuse_text(text, wrong.what());
    }
}

void append_json(std::string& out, std::string const& text);
void append_json(std::string& out, json_text const& value);
void append_json(std::string& out, bool value);

template <std::integral Number>
void append_json(std::string& out, Number value)
{
    std::array<char, 24> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// While it lives, append_json() of this thread writes ids as text.
class text_ids {
public:
    text_ids() { in_use_ = true; }
    ~text_ids() { in_use_ = false; }
    text_ids(text_ids const&) = delete;
    text_ids& operator=(text_ids const&) = delete;
    static bool in_use() { return in_use_; }

private:
    static thread_local bool in_use_;
};

template <class Tag>
void append_json(std::string& out, id<Tag> const& value)
{
    if (!text_ids::in_use())
        return append_json(out, value.value());
    out += '"';
    append_json(out, value.value());
    out += '"';
}

template <named Enum>
void append_json(std::string& out, Enum value)
{
    out.append("\"").append(to_string(value)).append("\"");
}

template <class Item>
void append_json(std::string& out, std::vector<Item> const& list)
{
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0)
            out += ',';
        append_json(out, list[i]);
    }
    out += ']';
}

template <class Member>
void append_member(std::string& out, char const* name, Member const& value)
{
    out.append(out.back() == '{' ? "\"" : ",\"").append(name).append("\":");
    append_json(out, value);
}

// A term is no field of its own but two of its message: "namespace", unless it is the first one, and "epoch".
void append_member(std::string& out, char const*, term_id const& value);
void write_member(nlohmann::json& object, char const*, term_id const& value);
void read_member(nlohmann::json const& object, char const*, term_id& out, term_id const& otherwise);
bool read_field(std::string_view key, simdjson::ondemand::value& in, char const*, term_id& out);

} // namespace baton::protocol
