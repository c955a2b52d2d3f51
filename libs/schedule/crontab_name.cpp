// The names of crontab entries.

#include "libs/base/hash.hpp"
#include "libs/schedule/crontab.hpp"

#include <cctype>
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

} // namespace

std::string crontab_name(crontab_entry const& entry, std::string const& source)
{
    fnv1a_32 hash;
    for (auto const& part : {entry.user, entry.command, entry.input})
        hash.add(part).add(0xff); // a separator, so that texts cannot run into each other
    char digits[16];
    std::snprintf(digits, sizeof digits, "%08x", hash.value());
    auto const stem = slug_of(std::filesystem::path{source}.stem().string());
    return (stem.empty() ? "cron" : stem) + "-" + digits;
}

} // namespace baton::schedule
