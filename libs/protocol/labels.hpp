#pragma once
// The labels of a task: names with values, by which people and programs find tasks. Part of the task's JSON document.

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

using labels = std::map<std::string, std::string>; // by name

inline constexpr std::size_t most_labels = 32;
inline constexpr std::size_t longest_label_name = 63;
inline constexpr std::size_t longest_label_value = 100;
inline constexpr std::size_t longest_owner = 100;

// Strict: throws invalid_input with the field ("labels.env").
labels parse_labels(nlohmann::json const& value);

// The labels of a filter: "env:production,team:billing". Throws invalid_input("label").
labels parse_label_filter(std::string_view text);

// Of a team or a person. Throws invalid_input("owner").
void check_owner(std::string const& text);

} // namespace baton::protocol
