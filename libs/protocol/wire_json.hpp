#pragma once
// For this folder's .cpp files: both directions of a struct's JSON from one list of members, by the JSON library's own
// macros. A missing member takes the struct's default, an unknown one is ignored; one of another type, or a number that
// does not fit, is refused by name, where the library would convert it. BATON_WIRE writes all members; BATON_LEAN_WIRE,
// for what is sent by the thousand, leaves out those that have their default. Both also write the text of a message
// (append_json) and read it (read_fields, with simdjson) without the library's tree of values, which costs an
// allocation and more for each member; BATON_TEXT offers that for a message (to_text, from_text).

#include "libs/base/error.hpp"
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

namespace baton::protocol {

// Of client_wire.cpp, for the messages between nodes that hold one.
void append_json(std::string& out, dispatch const& in);
void read_fields(simdjson::ondemand::object& in, dispatch& out);

[[noreturn]] void refuse_type(char const* name);
[[noreturn]] void refuse_number(char const* name);
[[noreturn]] void refuse_part(); // that is no object

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
void read_member(nlohmann::json const& object, char const* name, Member& out, Member const& otherwise)
{
    if (!object.is_object())
        refuse_part();
    auto const found = object.find(name);
    if (found == object.end()) {
        out = otherwise;
    } else if constexpr (std::integral<Member> && !std::same_as<Member, bool>) {
        out = fitting<Member>(*found, name);
    } else {
        try {
            out = found->template get<Member>();
        } catch (nlohmann::json::exception const&) {
            refuse_type(name);
        }
    }
}

void read_value(simdjson::ondemand::value& in, char const* name, bool& out);
void read_value(simdjson::ondemand::value& in, char const* name, std::string& out);
void read_value(simdjson::ondemand::value& in, char const* name, nlohmann::json& out);

template <std::integral Number>
void read_value(simdjson::ondemand::value& in, char const* name, Number& out)
{
    std::int64_t whole = 0;
    if (in.get_int64().get(whole) != simdjson::SUCCESS || !std::in_range<Number>(whole))
        refuse_number(name);
    out = static_cast<Number>(whole);
}

template <class Word>
requires std::is_enum_v<Word>
void read_value(simdjson::ondemand::value& in, char const* name, Word& out)
{
    std::string text;
    read_value(in, name, text);
    from_json(nlohmann::json(std::move(text)), out);
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

template <class Message>
void read_message(std::string_view text, Message& out)
{
    try {
        simdjson::padded_string const padded(text);
        simdjson::ondemand::parser parser;
        simdjson::ondemand::document document = parser.iterate(padded);
        simdjson::ondemand::value whole = document.get_value();
        read_value(whole, "", out);
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
            throw invalid_input("", "not JSON: something follows the message");
    } catch (simdjson::simdjson_error const& wrong) {
        throw invalid_input("", std::string("not JSON: ") + wrong.what());
    }
}

void append_json(std::string& out, std::string const& text);
void append_json(std::string& out, nlohmann::json const& value);
void append_json(std::string& out, bool value);

template <std::integral Number>
void append_json(std::string& out, Number value)
{
    std::array<char, 24> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

template <class Word>
requires std::is_enum_v<Word>
void append_json(std::string& out, Word value)
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

} // namespace baton::protocol

#define BATON_READ_MEMBER(member)                                                                                      \
    read_member(nlohmann_json_j, #member, nlohmann_json_t.member, nlohmann_json_default_obj.member);

#define BATON_READ_FIELD(member)                                                                                       \
    if (key == #member) {                                                                                              \
        read_value(value, #member, nlohmann_json_t.member);                                                            \
        continue;                                                                                                      \
    }

#define BATON_READ(Type, ...)                                                                                          \
    void from_json(nlohmann::json const& nlohmann_json_j, Type& nlohmann_json_t)                                       \
    {                                                                                                                  \
        static Type const nlohmann_json_default_obj{};                                                                 \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_READ_MEMBER, __VA_ARGS__))                                      \
    }                                                                                                                  \
    void read_fields(simdjson::ondemand::object& nlohmann_json_j, Type& nlohmann_json_t)                               \
    {                                                                                                                  \
        for (auto field : nlohmann_json_j) {                                                                           \
            std::string_view const key = field.unescaped_key();                                                        \
            simdjson::ondemand::value value = field.value();                                                           \
            NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_READ_FIELD, __VA_ARGS__))                                   \
            nlohmann::json unknown;                                                                                    \
            read_value(value, "", unknown);                                                                            \
        }                                                                                                              \
    }

#define BATON_WRITE_MEMBER(member)                                                                                     \
    if (!(nlohmann_json_t.member == nlohmann_json_default_obj.member))                                                 \
        nlohmann_json_j[#member] = nlohmann_json_t.member;

#define BATON_APPEND_MEMBER(member) append_member(nlohmann_json_j, #member, nlohmann_json_t.member);

#define BATON_APPEND_CHANGED(member)                                                                                   \
    if (!(nlohmann_json_t.member == nlohmann_json_default_obj.member))                                                 \
        append_member(nlohmann_json_j, #member, nlohmann_json_t.member);

#define BATON_WIRE(Type, ...)                                                                                          \
    void append_json(std::string& nlohmann_json_j, Type const& nlohmann_json_t)                                        \
    {                                                                                                                  \
        nlohmann_json_j += '{';                                                                                        \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_APPEND_MEMBER, __VA_ARGS__))                                    \
        nlohmann_json_j += '}';                                                                                        \
    }                                                                                                                  \
    void to_json(nlohmann::json& nlohmann_json_j, Type const& nlohmann_json_t){                                        \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))} BATON_READ(Type, __VA_ARGS__)

#define BATON_LEAN_WIRE(Type, ...)                                                                                     \
    void append_json(std::string& nlohmann_json_j, Type const& nlohmann_json_t)                                        \
    {                                                                                                                  \
        static Type const nlohmann_json_default_obj{};                                                                 \
        nlohmann_json_j += '{';                                                                                        \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_APPEND_CHANGED, __VA_ARGS__))                                   \
        nlohmann_json_j += '}';                                                                                        \
    }                                                                                                                  \
    void to_json(nlohmann::json& nlohmann_json_j, Type const& nlohmann_json_t)                                         \
    {                                                                                                                  \
        static Type const nlohmann_json_default_obj{};                                                                 \
        nlohmann_json_j = nlohmann::json::object();                                                                    \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_WRITE_MEMBER, __VA_ARGS__))                                     \
    }                                                                                                                  \
    BATON_READ(Type, __VA_ARGS__)

#define BATON_TEXT(Type)                                                                                               \
    std::string to_text(Type const& message)                                                                           \
    {                                                                                                                  \
        std::string text;                                                                                              \
        append_json(text, message);                                                                                    \
        return text;                                                                                                   \
    }                                                                                                                  \
    void from_text(std::string_view text, Type& message)                                                               \
    {                                                                                                                  \
        read_message(text, message);                                                                                   \
    }
