#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton {

// The first character that is not seen but makes one name unlike another, such as one of zero width or of direction:
// U+00AD, U+061C, U+180E, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB, and those of
// the category Cf above U+FFFF: of Kaithi, of Egyptian hieroglyphs (U+13430 to U+1343F), of shorthand, of music, and
// the tags. Thread-safe.
std::optional<std::uint32_t> first_invisible(std::string_view text);

} // namespace baton
