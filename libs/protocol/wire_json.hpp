#pragma once
// For this folder's .cpp files: both directions of a struct's JSON from one list of members, by the JSON library's own
// macros. A missing member takes the struct's default, an unknown one is ignored.

#include <nlohmann/json.hpp>

#define BATON_WIRE(Type, ...)                                                                                          \
    void to_json(nlohmann::json& nlohmann_json_j, Type const& nlohmann_json_t)                                         \
    {                                                                                                                  \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                                       \
    }                                                                                                                  \
    void from_json(nlohmann::json const& nlohmann_json_j, Type& nlohmann_json_t)                                       \
    {                                                                                                                  \
        Type const nlohmann_json_default_obj{};                                                                        \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__))                        \
    }
