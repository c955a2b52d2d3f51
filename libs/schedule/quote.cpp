#include "libs/schedule/quote.hpp"

namespace baton::schedule {

std::string quote(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string shown = "'";
    for (char const c : text.substr(0, longest))
        shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (text.size() > longest ? "...'" : "'");
}

} // namespace baton::schedule
