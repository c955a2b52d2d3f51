#pragma once

#include "libs/lease/lease_store.hpp"

#include <string>

namespace baton::trigger {

// Tells when the lock row names another master than before, for the log of a slave.
class followed_master {
public:
    // `self`: the incarnation of this node, which follows nobody while it leads itself.
    explicit followed_master(std::string self) : self_(std::move(self)) {}

    // True if this node follows the owner of the row from now on. A row that is free or expired changes nothing, as the
    // same node may get it again.
    bool is_new(lease::lease_row const& row)
    {
        if (!row.owner || row.expired || *row.owner == owner_)
            return false;
        owner_ = *row.owner;
        return owner_ != self_;
    }

private:
    std::string self_;
    std::string owner_; // by the last row that had one
};

} // namespace baton::trigger
