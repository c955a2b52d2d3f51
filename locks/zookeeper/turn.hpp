#pragma once
// Whose turn it is among the nodes of a queue: they hold the lock from the first on for as long as what they take fits,
// and nobody before one who came earlier. Pure.

#include "locks/core/lock_share.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace baton::lock {

// A tag that says what its node takes: "TAG-1of3" of a permit of three, "TAG" of a plain lock.
std::string zoo_tag(std::string const& unique, lock_share const& of);
// What a node takes, by its name "TAG-1of3-lock-0000000017".
lock_share zoo_share(std::string const& node);

// The node of this tag; empty: there is none.
std::string zoo_own(std::vector<std::string> const& nodes, std::string const& tag);

struct zoo_turn {
    std::string own; // empty: not in it, and nothing else is said
    bool held = false;
    // By how many the first of the queue counts, where it does otherwise than this one, who then gets nothing.
    std::int64_t disagreed = 0;

    // One that does not hold it waits for one node alone, so that no end of a hold wakes more than can have it:
    //
    // to be gone: this one alone is in the way,
    std::string until_gone;
    // or to be granted it or gone: the one before, which waits itself and is told first,
    std::string until_granted;
    // or, who is the first to wait, for any of those who hold it.
    std::vector<std::string> until_any_gone;

    // Who comes next may wait for a word that this one holds it now, also where it could have it by now itself.
    bool tells = false;
};
zoo_turn zoo_turn_of(std::vector<std::string> const& nodes, std::string const& tag);

} // namespace baton::lock
