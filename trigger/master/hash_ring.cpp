#include "trigger/master/hash_ring.hpp"

#include "libs/base/random.hpp"
#include "libs/protocol/payload_key.hpp"

#include <algorithm>
#include <limits>

namespace baton::trigger {

namespace {
constexpr int points_of_member = 8; // a single one may lie so close behind another that it gets hardly a key
constexpr int probes = 21;
}

hash_ring::hash_ring(std::vector<std::string_view> const& members)
{
    points_.reserve(members.size() * points_of_member);
    for (std::size_t i = 0; i < members.size(); ++i) {
        seeded_random draw(protocol::stable_hash(members[i]));
        for (int k = 0; k < points_of_member; ++k)
            points_.emplace_back(draw.next(), i);
    }
    std::sort(points_.begin(), points_.end());
}

std::optional<std::size_t> hash_ring::find(std::uint64_t key, std::optional<std::size_t> avoided) const
{
    std::optional<std::size_t> nearest;
    auto least = std::numeric_limits<std::uint64_t>::max();
    seeded_random draw(key);
    for (int i = 0; i < probes && !points_.empty(); ++i) {
        auto const probe = draw.next();
        auto at = std::lower_bound(points_.begin(), points_.end(), std::pair(probe, std::size_t{0}));
        for (std::size_t step = 0; step < points_.size(); ++step, ++at) {
            if (at == points_.end())
                at = points_.begin();
            if (at->second == avoided)
                continue;
            auto const distance = at->first - probe; // around the end, if need be
            if (distance < least || !nearest) {
                least = distance;
                nearest = at->second;
            }
            break;
        }
    }
    return nearest;
}

} // namespace baton::trigger
