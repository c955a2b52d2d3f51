#pragma once
// Hashes that are the same at all times, on all machines and in all builds, as values of std::hash are not. Two texts
// with the same hash are easy to construct.

#include <cstdint>
#include <string_view>

namespace baton {

// FNV-1a over bytes.
template <class Number, Number basis, Number prime>
class fnv1a {
public:
    constexpr fnv1a& add(unsigned char byte)
    {
        value_ = (value_ ^ byte) * prime;
        return *this;
    }
    constexpr fnv1a& add(std::string_view text)
    {
        for (char const byte : text)
            add(static_cast<unsigned char>(byte));
        return *this;
    }
    constexpr Number value() const { return value_; }

private:
    Number value_ = basis;
};
using fnv1a_32 = fnv1a<std::uint32_t, 0x811c9dc5, 0x01000193>;
using fnv1a_64 = fnv1a<std::uint64_t, 0xcbf29ce484222325, 0x100000001b3>;

// The output function of SplitMix64: each bit of the value changes about half of the bits of the result.
constexpr std::uint64_t mix64(std::uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

} // namespace baton
