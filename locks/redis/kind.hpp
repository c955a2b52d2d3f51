#pragma once
// Locks that are expiring keys on a Redis server. The guarantee is efficiency only. Redis replicates after it answers,
// expires keys by its wall clock, and by default writes to disk after it answers. So a promoted replica, a clock step
// or a restart can grant the lock to a second holder while the first still has it. Tokens rise as long as the data
// survives; each name leaves a small key behind for ever.
// (M. Kleppmann, How to do distributed locking, 2016; Redis, Distributed Locks with Redis.)

#include "libs/base/random.hpp"
#include "locks/redis/server.hpp"

namespace baton::lock {

// The server must outlive the kind.
std::unique_ptr<lock_kind> make_redis_kind(redis_server& server, time_source& time, random_source& random);

} // namespace baton::lock
