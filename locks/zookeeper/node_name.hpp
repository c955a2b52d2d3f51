#pragma once
// The names of ZooKeeper nodes: of a lock, and of an acquisition in its queue. Pure.

#include <cstdint>
#include <optional>
#include <string>

namespace baton::lock {

// Letters, digits, '_', '-' and ':' stay; any other byte becomes %XX, since ZooKeeper forbids '/', "." and parts of
// Unicode.
std::string zoo_escaped(std::string const& name);

// The sequence number 17 of "TAG-lock-0000000017"; nothing for another form.
std::optional<std::int64_t> zoo_sequence(std::string const& node);

} // namespace baton::lock
