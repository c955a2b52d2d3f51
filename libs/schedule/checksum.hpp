#pragma once

#include "libs/base/hash.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::schedule {

// FNV-1a, 64 bits: tells contents apart. It is no protection against forged ones.
class checksum {
public:
    void add(std::int64_t value)
    {
        for (int shift = 0; shift < 64; shift += 8)
            hash_.add(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> shift & 0xff));
    }
    void add(std::string_view text) { hash_.add(text).add(0xff); }

    std::string hex() const
    {
        static constexpr char digits[] = "0123456789abcdef";
        std::string text;
        for (int shift = 60; shift >= 0; shift -= 4)
            text += digits[hash_.value() >> shift & 15];
        return text;
    }

private:
    fnv1a_64 hash_;
};

} // namespace baton::schedule
