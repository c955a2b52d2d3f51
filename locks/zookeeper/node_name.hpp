#pragma once
// How a lock's name and a place in its queue are written as names of nodes. Pure.

#include <cstdint>
#include <optional>
#include <string>

namespace baton::lock {

// Letters, digits, '_', '-' and ':' as they are, any other byte as %XX: ZooKeeper excludes '/', "." and some of
// Unicode.
std::string zoo_escaped(std::string const& name);

// "TAG-lock-0000000017" is 17th of those in its queue. Nothing for what is not written so.
std::optional<std::int64_t> zoo_place(std::string const& node);

} // namespace baton::lock
