#pragma once
// The Lua scripts of semaphores and read-write locks, for Redis 5 or newer. Each script is harmless whenever it runs
// and idempotent.
//
// A lock is a sorted set of its holders by the end of their ttl, and a hash of the share of each ("1of3/17": one of
// three, with token 17). Both expire with the last holder. The token is a counter that stays. A fourth key exists while
// capacity is reserved for an exclusive request. The admission rule is that of lock_share.hpp.

#include "locks/redis/scripts.hpp"

namespace baton::lock {

// KEYS: holders, shares, tokens, room. ARGV: owner, ttl in ms, weight, capacity, ms for which an exclusive request
// reserves capacity if it is refused (0: the caller does not wait). Returns
//     {1, token, 1 if the ttl of another holder had ended}  the owner has it now; if it had it before, the ttl restarts
//     {0, ms after which to try again, 0}                   refused
//     {2, the capacity of the present holders, 0}           refused: it differs from the caller's
redis_script const& shared_take_script();
// KEYS: holders, shares. ARGV: owner, ttl in ms. Returns 1, or 0 if the owner does not hold it.
redis_script const& shared_extend_script();
// KEYS: holders, shares. ARGV: owner, channel. Returns the same, and notifies the waiters.
redis_script const& shared_release_script();

// All in one slot of a cluster.
struct redis_shared_keys {
    redis_shared_keys(char const* set, std::string const& name);

    std::string holders;
    std::string shares;
    std::string tokens;
    std::string room;
    std::string channel; // releases are published here
};

} // namespace baton::lock
