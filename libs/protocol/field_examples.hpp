#pragma once

#include <string>
#include <string_view>

namespace baton::protocol {

// For the refusal of a field, such as "limits.total_ms": the member with a value that is right, `"total_ms": 3600000`.
// Empty if none is known.
std::string example_of(std::string_view path);
// The same for a whole number; the value lies from `least` to `most`.
std::string example_of(std::string_view path, std::int64_t least, std::int64_t most);

} // namespace baton::protocol
