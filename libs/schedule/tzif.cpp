#include "libs/schedule/tzif.hpp"

#include <cstddef>
#include <limits>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr std::size_t length_of_header = 44;
constexpr std::size_t length_of_type = 6;
constexpr std::int64_t furthest = 500'000'000'000; // seconds from 1970; some versions of zic begin with the Big Bang

std::int64_t big_endian(std::string_view bytes)
{
    // The sign is that of the first byte.
    std::int64_t value = static_cast<signed char>(bytes.front());
    for (auto const byte : bytes.substr(1))
        value = value * 256 + static_cast<unsigned char>(byte);
    return value;
}

struct header {
    char version;
    std::size_t utc_flags, standard_flags, leaps, changes, types, letters;

    std::size_t length_of_data(std::size_t width) const
    {
        return changes * (width + 1) + types * length_of_type + letters + leaps * (width + 4) + standard_flags +
               utc_flags;
    }
};

std::optional<header> read_header(std::string_view content)
{
    if (content.size() < length_of_header || !content.starts_with("TZif"))
        return std::nullopt;
    auto const count = [&](std::size_t nth) {
        return static_cast<std::size_t>(static_cast<std::uint32_t>(big_endian(content.substr(20 + 4 * nth, 4))));
    };
    return header{content[4], count(0), count(1), count(2), count(3), count(4), count(5)};
}

// `width`: bytes of an instant.
std::optional<std::vector<offset_change>> read_changes(std::string_view data, header const& about, std::size_t width,
                                                       std::int32_t& first_offset)
{
    auto const types = data.substr(about.changes * (width + 1), about.types * length_of_type);
    auto const offset_of = [&](std::size_t type) {
        return static_cast<std::int32_t>(big_endian(types.substr(type * length_of_type, 4)));
    };
    first_offset = offset_of(0);
    std::vector<offset_change> found;
    auto before = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < about.changes; ++i) {
        auto const type = static_cast<unsigned char>(data[about.changes * width + i]);
        auto const at = big_endian(data.substr(i * width, width));
        if (type >= about.types || (i > 0 && at <= before))
            return std::nullopt;
        before = at;
        if (at < -furthest)
            first_offset = offset_of(type);
        else if (at <= furthest)
            found.push_back({chr::sys_seconds{chr::seconds{at}}, offset_of(type)});
    }
    return found;
}

} // namespace

std::optional<zone_rules> parse_tzif(std::string name, std::string_view content)
{
    auto about = read_header(content);
    std::size_t width = 4;
    if (about && about->version >= '2') {
        auto const skipped = length_of_header + about->length_of_data(4);
        if (content.size() < skipped)
            return std::nullopt;
        content.remove_prefix(skipped);
        about = read_header(content);
        width = 8;
    }
    if (!about || about->leaps != 0 || about->types == 0 ||
        content.size() < length_of_header + about->length_of_data(width))
        return std::nullopt;
    std::int32_t first_offset = 0;
    auto const changes = read_changes(content.substr(length_of_header), *about, width, first_offset);
    if (!changes)
        return std::nullopt;
    std::optional<posix_rule> after;
    if (width == 8) {
        auto footer = content.substr(length_of_header + about->length_of_data(width));
        if (footer.size() < 2 || footer.front() != '\n' || footer.find('\n', 1) == std::string_view::npos)
            return std::nullopt;
        footer = footer.substr(1, footer.find('\n', 1) - 1);
        after = parse_posix_rule(footer);
        if (!footer.empty() && !after)
            return std::nullopt;
    }
    return zone_rules(std::move(name), first_offset, *changes, after);
}

} // namespace baton::schedule
