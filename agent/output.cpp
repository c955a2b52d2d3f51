#include "agent/output.hpp"

#include <algorithm>

namespace baton::agent {

namespace {

bool continues(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t length_from(char lead)
{
    auto const byte = static_cast<unsigned char>(lead);
    return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// The first `length` bytes without a UTF-8 sequence that is cut at their end.
std::string_view head_of(std::string_view text, std::size_t length)
{
    auto const cut = text.substr(0, length);
    for (std::size_t back = 1; back <= std::min<std::size_t>(4, cut.size()); ++back) {
        char const c = cut[cut.size() - back];
        if (!continues(c))
            return length_from(c) > back ? cut.substr(0, cut.size() - back) : cut;
    }
    return cut;
}

// The last `length` bytes without the rest of a sequence that is cut at their beginning.
std::string_view tail_of(std::string_view text, std::size_t length)
{
    auto cut = text.substr(text.size() - std::min(length, text.size()));
    for (int i = 0; i < 3 && !cut.empty() && continues(cut.front()); ++i)
        cut.remove_prefix(1);
    return cut;
}

} // namespace

void output::append(std::string_view bytes)
{
    total_ += bytes.size();
    auto const first = std::min(bytes.size(), half_ - std::min(half_, head_.size()));
    head_.append(bytes.substr(0, first));
    auto const rest = bytes.substr(first);
    tail_.append(rest.substr(rest.size() - std::min(rest.size(), half_)));
    if (tail_.size() > 2 * half_)
        tail_.erase(0, tail_.size() - half_);
}

std::string output::text(std::size_t limit) const
{
    if (head_.size() + tail_.size() == total_ && total_ <= limit)
        return head_ + tail_;
    auto const each = std::min(limit / 2, half_);
    auto const first = head_of(head_, each);
    auto const after = tail_.empty() ? std::string_view(head_).substr(first.size()) : std::string_view(tail_);
    auto const last = tail_of(after, each);
    auto const missing = total_ - first.size() - last.size();
    return std::string(first).append("\n[... " + std::to_string(missing) + " bytes left out ...]\n").append(last);
}

} // namespace baton::agent
