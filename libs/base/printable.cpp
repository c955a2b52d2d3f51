#include "libs/base/printable.hpp"

#include <cstdint>
#include <cstdio>

namespace baton {

namespace {

struct code_point {
    std::size_t bytes;
    std::uint32_t value;
    bool valid;
};

constexpr code_point broken{1, 0, false};

// Overlong forms and surrogates are not UTF-8.
code_point decode(std::string_view text)
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

bool is_control(std::uint32_t value)
{
    return value < 0x20 || (value >= 0x7F && value <= 0x9F);
}

bool changes_direction_or_line(std::uint32_t value)
{
    return value == 0x061C || value == 0x200E || value == 0x200F || (value >= 0x2028 && value <= 0x202E) ||
           (value >= 0x2066 && value <= 0x2069);
}

bool may_be_shown(code_point const& one)
{
    return one.valid && !is_control(one.value) && !changes_direction_or_line(one.value);
}

} // namespace

first_character first_character_of(std::string_view text)
{
    auto const one = decode(text);
    return {one.bytes, may_be_shown(one)};
}

std::string printable(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const first = first_character_of(text);
        out += first.shown ? text.substr(0, first.bytes) : "?";
        text.remove_prefix(first.bytes);
    }
    return out;
}

std::string printable_json(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const one = decode(text);
        if (may_be_shown(one) || text.front() == '\n') {
            out += text.substr(0, one.bytes);
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", one.valid ? one.value : 0xFFFDu);
            out += escaped;
        }
        text.remove_prefix(one.bytes);
    }
    return out;
}

} // namespace baton
