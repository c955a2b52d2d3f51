#include "libs/base/printable.hpp"

#include "libs/base/characters.hpp"

#include <cstdio>

namespace baton {

namespace {

bool changes_direction_or_line(std::uint32_t value)
{
    return value == 0x061C || value == 0x200E || value == 0x200F || (value >= 0x2028 && value <= 0x202E) ||
           (value >= 0x2066 && value <= 0x2069);
}

bool may_be_shown(character const& one)
{
    return one.valid && !is_control(one.value) && !changes_direction_or_line(one.value);
}

} // namespace

first_character first_character_of(std::string_view text)
{
    auto const one = read_character(text);
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
        auto const one = read_character(text);
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
