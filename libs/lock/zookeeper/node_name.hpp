#pragma once
// How a lock's name and a place in its queue are written as names of nodes. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

// Letters, digits, '_', '-' and ':' as they are, any other byte as %XX: ZooKeeper excludes '/', "." and some of
// Unicode.
std::string zoo_escaped(std::string const& name);

// "TAG-lock-0000000017" is 17th of those in its queue. Nothing for what is not written so.
std::optional<std::int64_t> zoo_place(std::string const& node);

struct zoo_queue {
    std::string own;    // empty: not in it
    std::string before; // whom to wait for; empty: it is the first
};
// Where among the nodes the one of this tag is.
zoo_queue zoo_queue_of(std::vector<std::string> const& nodes, std::string const& tag);

} // namespace baton::lock
