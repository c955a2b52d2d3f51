#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace baton::trigger {

// A name that never changes, of at most 65,535 bytes: a pointer, and an allocation of two bytes more than its text. A
// std::string takes 32 bytes beside that; the master has a hundred thousand names.
class short_name {
public:
    short_name() = default;
    explicit short_name(std::string_view text)
        : text_(std::make_unique_for_overwrite<char[]>(sizeof(std::uint16_t) + text.size()))
    {
        auto const length = static_cast<std::uint16_t>(text.size());
        std::memcpy(text_.get(), &length, sizeof length);
        std::memcpy(text_.get() + sizeof length, text.data(), text.size());
    }

    std::string_view view() const
    {
        if (!text_)
            return {};
        std::uint16_t length = 0;
        std::memcpy(&length, text_.get(), sizeof length);
        return {text_.get() + sizeof length, length};
    }

private:
    std::unique_ptr<char[]> text_;
};

} // namespace baton::trigger
