#pragma once
// Locks that are expiring keys of a Redis server. For efficiency: Redis replicates after it has answered, counts the
// time of keys by its wall clock, and by default writes nothing down before it answers, so that a replica that is
// promoted, a clock that is stepped and a server that restarts give the lock to a second holder while the first still
// has it. Tokens rise for as long as the data survives, and stay behind for ever: a small key for each name.
// (M. Kleppmann, How to do distributed locking, 2016; Redis, Distributed Locks with Redis.)

#include "libs/base/random.hpp"
#include "locks/redis/server.hpp"

namespace baton::lock {

// The server outlives the kind.
std::unique_ptr<lock_kind> make_redis_kind(redis_server& server, time_source& time, random_source& random);

} // namespace baton::lock
