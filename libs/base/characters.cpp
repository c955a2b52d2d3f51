#include "libs/base/characters.hpp"

#include "libs/base/printable.hpp"

#include <cstdio>

namespace baton {

namespace {

constexpr character broken{1, 0, false};

std::string escaped(std::string_view text, character const& one)
{
    if (one.valid && one.value == '\n')
        return "\\n";
    if (one.valid && one.value == '\r')
        return "\\r";
    if (one.valid && one.value == '\t')
        return "\\t";
    char code[12];
    if (one.valid)
        std::snprintf(code, sizeof code, "\\u%04x", one.value);
    else
        std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text.front())));
    return code;
}

} // namespace

character read_character(std::string_view text)
{
    auto const lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80)
        return {1, lead, true};
    std::size_t const bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes)
        return broken;
    auto value = std::uint32_t{lead} & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        auto const next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80)
            return broken;
        value = value << 6 | (next & 0x3Fu);
    }
    bool const overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x1'0000);
    if (overlong || value > 0x10'FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return broken;
    return {bytes, value, true};
}

std::size_t count_characters(std::string_view text)
{
    std::size_t count = 0;
    for (; !text.empty(); ++count)
        text.remove_prefix(read_character(text).bytes);
    return count;
}

bool is_control(std::uint32_t value)
{
    return value < 0x20 || (value >= 0x7F && value <= 0x9F);
}

bool has_control(std::string_view text)
{
    while (!text.empty()) {
        auto const one = read_character(text);
        if (one.valid && is_control(one.value))
            return true;
        text.remove_prefix(one.bytes);
    }
    return false;
}

std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string shown = "'";
    for (std::size_t i = 0; i < longest && !text.empty(); ++i) {
        auto const one = read_character(text);
        if (first_character_of(text).shown)
            shown += text.substr(0, one.bytes);
        else
            shown += escaped(text, one);
        text.remove_prefix(one.bytes);
    }
    return shown + (text.empty() ? "'" : "...'");
}

std::string shortened(std::string text, std::size_t bytes)
{
    if (text.size() <= bytes)
        return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80)
        --bytes;
    text.resize(bytes);
    return text;
}

} // namespace baton
