#pragma once
// Text that others have chosen, on its way to a terminal. Pure functions; any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace baton {

// The first character of a text.
struct first_character {
    std::size_t bytes; // 1 if they are not UTF-8
    bool shown;        // a terminal may show it
};

// A terminal must not get control characters (U+0000 to U+001F, U+007F to U+009F), which move its cursor or reprogram
// it; characters that change the direction or the line of a text (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to
// U+2069), which make one name look like another; or bytes that are not UTF-8. `text` must not be empty.
first_character first_character_of(std::string_view text);

// The text with '?' for each character that must not be shown.
std::string printable(std::string_view text);

// JSON text, as nlohmann::json::dump() makes it, with \uXXXX for each such character: its value stays the same. Only
// line breaks are kept, which are outside of strings.
std::string printable_json(std::string_view text);

} // namespace baton
