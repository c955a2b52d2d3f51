#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton::agent {

// The output of a command in bounded memory: the beginning and the end, with a line between them that says how many
// bytes are left out.
class output {
public:
    explicit output(std::size_t limit = 0) : half_(limit / 2) {}

    void append(std::string_view bytes);

    // The text, if it has at most `limit` bytes. Otherwise that many bytes of it, and the line about the rest.
    std::string text(std::size_t limit) const;
    std::string text() const { return text(2 * half_); }
    std::size_t total() const { return total_; }

private:
    std::size_t half_;
    std::size_t total_ = 0;
    std::string head_;
    std::string tail_; // up to twice its share, so that bytes are moved seldom
};

} // namespace baton::agent
