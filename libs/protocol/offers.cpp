#include "libs/protocol/offers.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <iterator>

namespace baton::protocol {

namespace {

bool is_tag_character(char c)
{
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == ':' || c == '-';
}

} // namespace

std::vector<std::string> handlers_in(std::vector<std::string> const& offers)
{
    std::vector<std::string> found;
    std::ranges::copy_if(offers, std::back_inserter(found), [](auto const& offer) { return !is_tag(offer); });
    return found;
}

std::vector<std::string> tags_in(std::vector<std::string> const& offers)
{
    std::vector<std::string> found;
    for (auto const& offer : offers)
        if (is_tag(offer))
            found.push_back(offer.substr(1));
    return found;
}

void check_tag(std::string const& tag, char const* field)
{
    if (tag.empty() || tag.size() > longest_tag || !std::ranges::all_of(tag, is_tag_character))
        throw invalid_input(field, std::string(field) +
                                       " must have 1 to 63 letters, digits, '.', '_', ':' and '-', such as gpu, not " +
                                       in_quotes(tag));
}

} // namespace baton::protocol
