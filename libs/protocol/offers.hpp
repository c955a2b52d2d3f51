#pragma once
// Clients offer handlers and tags. A client's tags stand among the names of its handlers, with a slash in front,
// which no handler's name has. So each part that sorts clients by their handlers sorts them by their tags too.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

inline constexpr std::size_t longest_tag = 63;
inline constexpr std::size_t most_tags = 32;

inline std::string tag_offer(std::string_view tag)
{
    return std::string("/").append(tag);
}

inline bool is_tag(std::string_view offer)
{
    return offer.starts_with('/');
}

// The demand for a handler at a client with a tag, if the tag is not empty: "resize" or "resize/gpu".
inline std::string demand_for(std::string const& handler, std::string const& tag)
{
    return tag.empty() ? handler : handler + tag_offer(tag);
}

// Do the offers (a set of texts) have the handler, and the tag, of the demand?
template <class Offers>
bool meets(Offers const& offers, std::string const& demand)
{
    auto const slash = demand.find('/');
    if (slash == std::string::npos)
        return offers.contains(demand);
    return offers.contains(demand.substr(0, slash)) && offers.contains(demand.substr(slash));
}

// Calls `visit` with each demand that such offers meet.
template <class Visit>
void each_demand(std::set<std::string> const& offers, Visit visit)
{
    for (auto const& handler : offers) {
        if (is_tag(handler))
            continue;
        visit(handler);
        for (auto tag = offers.lower_bound("/"); tag != offers.end() && is_tag(*tag); ++tag)
            visit(handler + *tag);
    }
}

std::vector<std::string> handlers_in(std::vector<std::string> const& offers);
std::vector<std::string> tags_in(std::vector<std::string> const& offers); // without the slashes

// Throws invalid_input with the field, unless it is a tag: 1 to 63 of a-z, A-Z, 0-9, '.', '_', ':' and '-'.
void check_tag(std::string const& tag, char const* field);

} // namespace baton::protocol
