#pragma once

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace baton::protocol {

// The texts of an enum in the order of its values: what is stored, sent and shown. Each enum specialises it beside its
// declaration.
template <class Enum>
inline constexpr std::array<std::string_view, 0> names_of{};

template <class Enum>
concept named = !names_of<Enum>.empty();

template <named Enum>
constexpr std::string_view to_string(Enum value)
{
    return names_of<Enum>[static_cast<std::size_t>(value)];
}

// "cron, fixed_rate, once": the known values, for people.
template <named Enum>
std::string list_names()
{
    std::string all;
    for (auto const name : names_of<Enum>)
        all.append(all.empty() ? "" : ", ").append(name);
    return all;
}

// Throws invalid_input that names the field, the text and the known values.
template <named Enum>
Enum parse(std::string_view text, std::string const& field)
{
    auto const& names = names_of<Enum>;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == text)
            return static_cast<Enum>(i);
    throw invalid_input(field, field + " must be one of " + list_names<Enum>() + ", not " + in_quotes(text));
}

// In JSON an enum is its text.
template <named Enum>
void to_json(nlohmann::json& out, Enum const& in)
{
    out = to_string(in);
}

} // namespace baton::protocol
