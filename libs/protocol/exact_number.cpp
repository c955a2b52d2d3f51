#include "libs/protocol/exact_number.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace baton::protocol {

namespace {

constexpr std::size_t most_digits = 17; // decimals of so many digits name one double each

// The value 0.DIGITS * 10^exponent, with neither zeros in front nor behind.
struct decimal {
    std::string digits; // none for zero
    long exponent = 0;

    bool operator==(decimal const&) const = default;
};

decimal decimal_of(std::string_view text)
{
    decimal found;
    auto const end = std::min(text.find_first_of("eE"), text.size());
    bool fraction = false;
    for (char const c : text.substr(0, end)) {
        bool const digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        fraction = fraction || c == '.';
        if (!digit)
            continue;
        bool const leading = c == '0' && found.digits.empty();
        found.exponent += (leading ? 0 : 1) - (fraction ? 1 : 0);
        if (!leading)
            found.digits += c;
    }
    while (found.digits.ends_with('0'))
        found.digits.pop_back();
    if (found.digits.empty())
        found.exponent = 0;
    else if (end < text.size())
        found.exponent += std::strtol(std::string(text.substr(end + 1)).c_str(), nullptr, 10); // saturates
    return found;
}

} // namespace

kept_number kept_as_double(std::string_view text, double value)
{
    if (text.find_first_of(".eE") == text.npos)
        return kept_number::integer;
    auto const written = decimal_of(text);
    if (written.digits.size() > most_digits)
        return kept_number::rounded;
    std::array<char, 32> shown{};
    auto const digits = std::max<int>(static_cast<int>(written.digits.size()), 1);
    std::snprintf(shown.data(), shown.size(), "%.*e", digits - 1, value);
    return decimal_of(shown.data()) == written ? kept_number::exact : kept_number::rounded;
}

} // namespace baton::protocol
