#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton {

// The first character that is not seen but makes one name unlike another, such as one of zero width or of direction:
// U+00AD, U+061C, U+180E, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF and U+FFF9 to U+FFFB.
// Thread-safe.
std::optional<std::uint32_t> first_invisible(std::string_view text);

} // namespace baton
