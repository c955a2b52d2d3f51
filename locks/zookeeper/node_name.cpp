#include "locks/zookeeper/node_name.hpp"

#include <charconv>

namespace baton::lock {

namespace {

constexpr char const* marker = "-lock-";
constexpr std::size_t marker_size = 6;

bool is_plain(char one)
{
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '_' ||
           one == '-' || one == ':';
}

} // namespace

std::string zoo_escaped(std::string const& name)
{
    constexpr char const* digits = "0123456789ABCDEF";
    std::string made;
    for (char const one : name) {
        if (is_plain(one)) {
            made += one;
            continue;
        }
        auto const byte = static_cast<unsigned char>(one);
        made += {'%', digits[byte / 16], digits[byte % 16]};
    }
    return made;
}

// The server counts in signed 32 bits, so a number after the overflow is negative.
std::optional<std::int64_t> zoo_sequence(std::string const& node)
{
    auto const at = node.rfind(marker);
    if (at == std::string::npos)
        return std::nullopt;
    std::int64_t sequence = 0;
    auto const end = node.data() + node.size();
    auto const read = std::from_chars(node.data() + at + marker_size, end, sequence);
    if (read.ec != std::errc{} || read.ptr != end)
        return std::nullopt;
    return sequence;
}

} // namespace baton::lock
