#pragma once

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
            add_byte(static_cast<std::uint64_t>(value) >> shift & 0xff);
    }
    void add(std::string_view text)
    {
        for (auto const byte : text)
            add_byte(static_cast<unsigned char>(byte));
        add_byte(0xff);
    }

    std::string hex() const
    {
        static constexpr char digits[] = "0123456789abcdef";
        std::string text;
        for (int shift = 60; shift >= 0; shift -= 4)
            text += digits[state_ >> shift & 15];
        return text;
    }

private:
    void add_byte(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3; }

    std::uint64_t state_ = 0xcbf29ce484222325;
};

} // namespace baton::schedule
