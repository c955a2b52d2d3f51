#include "libs/schedule/cron_hash.hpp"

namespace baton::schedule {

namespace {

constexpr std::uint64_t basis = 0xcbf29ce484222325;

// FNV-1a
std::uint64_t absorb(std::uint64_t hash, std::string_view text)
{
    for (auto const c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// The output function of SplitMix64.
std::uint64_t mix(std::uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

std::uint32_t hash_seed_of(std::string_view project, std::string_view name)
{
    auto const all = absorb(absorb(absorb(basis, project), std::string_view("\0", 1)), name);
    return static_cast<std::uint32_t>(mix(all) >> 32);
}

unsigned hashed(std::uint32_t seed, unsigned field, unsigned count)
{
    return static_cast<unsigned>(mix(seed + (field + 1) * 0x9e3779b97f4a7c15) >> 32) % count;
}

bool has_hash(std::string_view expression)
{
    for (std::size_t i = 0; i < expression.size(); ++i) {
        bool const alone =
            (i == 0 || !is_letter(expression[i - 1])) && (i + 1 == expression.size() || !is_letter(expression[i + 1]));
        if (alone && (expression[i] == 'H' || expression[i] == 'h'))
            return true;
    }
    return false;
}

} // namespace baton::schedule
