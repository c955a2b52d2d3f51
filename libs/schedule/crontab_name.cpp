// The names of crontab entries.

#include "libs/schedule/crontab.hpp"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace baton::schedule {

namespace {

constexpr std::size_t longest_stem = 32;

// The letters and digits of `text`, with one '-' for each run of other characters; empty if that is too long.
std::string slug_of(std::string_view text)
{
    std::string slug;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 128 && std::isalnum(byte) != 0)
            slug += static_cast<char>(std::tolower(byte));
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    if (slug.ends_with('-'))
        slug.pop_back();
    return slug.size() > longest_stem ? std::string{} : slug;
}

// FNV-1a. Names must not change between builds or machines, as values of std::hash may.
std::uint32_t hash(std::string_view text, std::uint32_t state)
{
    for (char const c : text)
        state = (state ^ static_cast<unsigned char>(c)) * 16'777'619U;
    return (state ^ 0xFFU) * 16'777'619U; // a separator, so that texts cannot run into each other
}

} // namespace

std::string crontab_name(crontab_entry const& entry, std::string const& source)
{
    std::uint32_t state = 2'166'136'261U;
    for (auto const& part : {entry.user, entry.command, entry.input})
        state = hash(part, state);
    char digits[16];
    std::snprintf(digits, sizeof digits, "%08x", state);
    auto const stem = slug_of(std::filesystem::path{source}.stem().string());
    return (stem.empty() ? "cron" : stem) + "-" + digits;
}

} // namespace baton::schedule
