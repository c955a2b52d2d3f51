#pragma once
// What a Redis server is asked to do with a lock, as scripts that it runs as a whole. Each is harmless whenever it
// executes, and executes again without more effect: it compares the owner, which is of one acquisition alone.
//
// A lock is a key that holds its owner and expires (SET NX PX, as in Redis' documentation of distributed locks); its
// tokens are a counter beside it that stays. The server counts only while it gives, so that the counter is the token of
// whoever is in the key.

#include <string>
#include <vector>

namespace baton::lock {

struct redis_script {
    explicit redis_script(char const* text);

    std::string text;
    std::string digest; // by which the server knows it
};

// KEYS: lock, tokens. ARGV: owner, ttl in ms. Returns {1, token}, also when the owner has it already (it is extended
// then), or {0, ms that the holder has left}.
redis_script const& take_script();
// KEYS: lock. ARGV: owner, ttl in ms. Returns 1, or 0 when the owner does not hold it.
redis_script const& extend_script();
// KEYS: lock. ARGV: owner, channel. Returns the same, and tells those who wait how many connections do
// (on a cluster: at this node).
redis_script const& release_script();

// "{NAME}", which alone decides on the slot of a key.
std::string redis_hash_tag(std::string const& name);

struct redis_keys {
    explicit redis_keys(std::string const& name);

    std::string lock;
    std::string tokens;  // in the same slot of a cluster
    std::string channel; // where releases are told
};

} // namespace baton::lock
