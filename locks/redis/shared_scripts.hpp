#pragma once
// What a Redis server (5 or newer) is asked to do with a lock that several may hold; each script is harmless whenever
// it executes, and executes again without more effect.
//
// A lock is a sorted set of its holders by when their time is over, and a hash of what each takes ("1of3/17": one of
// three, with the token 17), both of which expire with the last of them; a counter of its tokens that stays; and a key
// that is there for as long as room is kept for who takes all. Who may hold it beside whom is said in lock_share.hpp,
// and said again here.

#include "locks/redis/scripts.hpp"

namespace baton::lock {

// KEYS: holders, shares, tokens, room. ARGV: owner, ttl in ms, weight, capacity, ms for which room is to be kept for it
// where it is kept any (0: it does not wait). Returns {1, token, whether another's time was over}, also when the owner
// has it already (it is extended then); {0, ms after which to look again, 0}; or {2, the capacity of those who hold it,
// 0}.
redis_script const& shared_take_script();
// KEYS: holders, shares. ARGV: owner, ttl in ms. Returns 1, or 0 when the owner does not hold it.
redis_script const& shared_extend_script();
// KEYS: holders, shares. ARGV: owner, channel. Returns the same, and tells those who wait.
redis_script const& shared_release_script();

// All in one slot of a cluster.
struct redis_shared_keys {
    redis_shared_keys(char const* set, std::string const& name);

    std::string holders;
    std::string shares;
    std::string tokens;
    std::string room;
    std::string channel; // where releases are told
};

} // namespace baton::lock
