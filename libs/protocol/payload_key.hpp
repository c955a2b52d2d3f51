#pragma once
// A key of a payload: the value at a JSON pointer (RFC 6901), such as /customer.

#include "libs/protocol/json_text.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace baton::protocol {

inline constexpr std::size_t longest_pointer = 256;

// Throws invalid_input with the field, unless the text is a JSON pointer.
void check_pointer(std::string const& pointer, char const* field);

// The JSON text of the value. Nothing where the pointer leads nowhere: a member that is absent, or an index that an
// array cannot have.
std::optional<std::string> value_at(std::string const& pointer, json_text const& payload);

// The same number for the same text at all times and on all machines: the mixed FNV-1a of libs/base/hash.hpp.
std::uint64_t stable_hash(std::string_view text);

} // namespace baton::protocol
