#pragma once
// For the .cpp files of this folder: both directions of a struct's JSON from one list of its members, by the JSON
// library's own macros (see wire_json.hpp). BATON_WIRE writes all members; BATON_LEAN_WIRE, for messages that travel in
// thousands, leaves out members that have their default. Both also write the text of a message (append_json) and read
// it (read_fields, with simdjson) without the library's tree of values, which costs at least one allocation for each
// member; BATON_TEXT offers that for a message (to_text, from_text).

#include "libs/protocol/wire_json.hpp"

#define BATON_READ_MEMBER(member)                                                                                      \
    read_member(nlohmann_json_j, #member, nlohmann_json_t.member, nlohmann_json_default_obj.member);

#define BATON_READ_FIELD(member)                                                                                       \
    if (read_field(key, value, #member, nlohmann_json_t.member))                                                       \
        continue;

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
            skip_value(value);                                                                                         \
        }                                                                                                              \
    }

#define BATON_WRITE_MEMBER(member)                                                                                     \
    if (!(nlohmann_json_t.member == nlohmann_json_default_obj.member))                                                 \
        write_member(nlohmann_json_j, #member, nlohmann_json_t.member);

#define BATON_WRITE_EACH(member) write_member(nlohmann_json_j, #member, nlohmann_json_t.member);

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
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(BATON_WRITE_EACH, __VA_ARGS__))} BATON_READ(Type, __VA_ARGS__)

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
