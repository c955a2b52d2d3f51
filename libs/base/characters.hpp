#pragma once
// Text in UTF-8 as characters, and how messages quote text that others have chosen. Pure functions; any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

// The character at the beginning of a text.
struct character {
    std::size_t bytes;   // 1 if they are not UTF-8
    std::uint32_t value; // 0 if they are not UTF-8
    bool valid;
};

// `text` must not be empty. Overlong forms and surrogates are not UTF-8.
character read_character(std::string_view text);

// Bytes that are not UTF-8 count as one character each.
std::size_t count_characters(std::string_view text);

// The text, cut to at most so many bytes and between characters: a part of one is not UTF-8, which databases refuse.
std::string shortened(std::string text, std::size_t bytes);

// U+0000 to U+001F and U+007F to U+009F.
bool is_control(std::uint32_t value);
bool has_control(std::string_view text);

// The text in single quotes, cut to 60 characters. It keeps every character that a terminal may show (printable.hpp)
// and escapes the others: \n, \r, \t, \u0000, and \xff for a byte that is not UTF-8.
std::string in_quotes(std::string_view text);

} // namespace baton
