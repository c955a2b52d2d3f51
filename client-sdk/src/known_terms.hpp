#pragma once

#include "libs/protocol/term_id.hpp"

#include <cstddef>
#include <vector>

namespace baton::client {

// The highest epoch of each namespace whose masters reach this client, so that a deposed master is refused by the
// epochs of its own namespace only. Bounded: beyond `most`, the namespace that was heard of longest ago is forgotten.
// Its deposed master is then known again as soon as its nodes are heard of, which is at each heartbeat of their
// clients.
class known_terms {
public:
    static constexpr std::size_t most = 64;

    // False if the epoch is below the highest of its namespace.
    bool observe(protocol::term_id term);
    // With epoch 0 if nothing is known.
    protocol::term_id of(protocol::namespace_id name_space) const;
    // The one that was heard of last comes first.
    std::vector<protocol::term_id> const& all() const { return terms_; }

private:
    std::vector<protocol::term_id> terms_;
};

} // namespace baton::client
