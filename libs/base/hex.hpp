#pragma once

#include <span>
#include <string>

namespace baton {

// Two lower-case digits for each byte.
inline std::string hex_digits(std::span<unsigned char const> bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (auto const byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace baton
