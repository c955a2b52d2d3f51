#pragma once
// Which nodes of a queue hold the lock: from the first one on, as long as their shares fit, so that no node overtakes
// an earlier one. Pure.

#include "locks/core/lock_share.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace baton::lock {

// The tag of a node with its share: "TAG-1of3" for a permit of three, "TAG" for an exclusive lock.
std::string zoo_tag(std::string const& unique, lock_share const& of);
// The share in the name of a node, such as "TAG-1of3-lock-0000000017".
lock_share zoo_share(std::string const& node);

// The node with this tag; empty if there is none.
std::string zoo_own(std::vector<std::string> const& nodes, std::string const& tag);

struct zoo_queue_position {
    std::string own; // empty: it has no node in the queue, and the other members mean nothing
    bool held = false;
    // The permit count that the head of the queue uses, if it differs from ours; otherwise 0. Acquiring then fails.
    std::int64_t disagreed = 0;

    // A waiter watches as little as possible, so that a release wakes no more waiters than can be granted the lock. One
    // of the three is set:
    //
    // it waits until this node alone is gone,
    std::string until_gone;
    // or until the node before it, which waits too, is granted the lock or gone,
    std::string until_granted;
    // or, as the first waiter, until any of the holders is gone.
    std::vector<std::string> until_any_gone;

    // The next node may be waiting for a sign that this one holds the lock, though it could be granted it itself by
    // now.
    bool must_notify_next = false;
};
zoo_queue_position zoo_queue_position_of(std::vector<std::string> const& nodes, std::string const& tag);

} // namespace baton::lock
