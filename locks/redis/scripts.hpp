#pragma once
// The Lua scripts of a lock, which a Redis server runs atomically. Each is harmless whenever it runs and idempotent: it
// compares the owner, which belongs to one acquisition alone.
//
// A lock is an expiring key whose value is its owner (SET NX PX, as in Redis' documentation of distributed locks). The
// token is a counter in a second key that stays. It rises only with a grant, so it is the token of the present owner.

#include <string>
#include <vector>

namespace baton::lock {

struct redis_script {
    explicit redis_script(char const* text);

    std::string text;
    std::string digest; // SHA-1, by which the server knows it
};

// KEYS: lock, tokens. ARGV: owner, ttl in ms. Returns {1, token} if the owner has it now; if it had it before, the ttl
// starts again. Otherwise returns {0, ms until the holder's ttl ends}.
redis_script const& take_script();
// KEYS: lock. ARGV: owner, ttl in ms. Returns 1, or 0 if the owner does not hold it.
redis_script const& extend_script();
// KEYS: lock. ARGV: owner, channel. Returns the same. Publishes the number of waiting connections (on a cluster: at
// this node) to the waiters.
redis_script const& release_script();

// "{NAME}": the part of a key that determines its slot.
std::string redis_hash_tag(std::string const& name);

struct redis_keys {
    explicit redis_keys(std::string const& name);

    std::string lock;
    std::string tokens;  // in the same slot
    std::string channel; // releases are published here
};

} // namespace baton::lock
