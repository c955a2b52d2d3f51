#include "libs/base/invisible.hpp"

#include "libs/base/characters.hpp"

namespace baton {

namespace {

// The category Cf above U+FFFF.
bool is_high_format(std::uint32_t value)
{
    return value == 0x110BD || value == 0x110CD || (value >= 0x13430 && value <= 0x1343F) ||
           (value >= 0x1BCA0 && value <= 0x1BCA3) || (value >= 0x1D173 && value <= 0x1D17A) || value == 0xE0001 ||
           (value >= 0xE0020 && value <= 0xE007F);
}

bool is_invisible(std::uint32_t value)
{
    return is_high_format(value) || value == 0x00AD || value == 0x061C || value == 0x180E ||
           (value >= 0x200B && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
           (value >= 0x2060 && value <= 0x206F) || value == 0xFEFF || (value >= 0xFFF9 && value <= 0xFFFB);
}

} // namespace

std::optional<std::uint32_t> first_invisible(std::string_view text)
{
    while (!text.empty()) {
        auto const one = read_character(text);
        if (one.valid && is_invisible(one.value))
            return one.value;
        text.remove_prefix(one.bytes);
    }
    return std::nullopt;
}

} // namespace baton
