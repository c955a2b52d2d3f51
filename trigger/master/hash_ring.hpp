#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::trigger {

// Consistent hashing with a few points for each member and several probes for each key (B. Appleton and M. O'Reilly,
// "Multi-probe consistent hashing", 2015): a key belongs to the member whose point lies nearest behind one of its
// probes. A member that comes takes only keys that are its own from then on, and one that goes leaves only its own. 128
// bytes for each member. Pure.
class hash_ring {
public:
    explicit hash_ring(std::vector<std::string_view> const& members);

    // The index of the member to which a key with this hash belongs, without the member `avoided`. Nothing if there is
    // no other.
    std::optional<std::size_t> find(std::uint64_t key, std::optional<std::size_t> avoided = std::nullopt) const;

private:
    std::vector<std::pair<std::uint64_t, std::size_t>> points_; // in order
};

} // namespace baton::trigger
