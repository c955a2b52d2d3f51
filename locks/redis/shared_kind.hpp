#pragma once
// Locks on one Redis server that several may hold at once: readers beside each other, holders of permits. For
// efficiency, as all locks there (redis_kind.hpp).

#include "locks/redis/server.hpp"

namespace baton::lock {

// The server outlives the kind.
std::unique_ptr<lock_kind> make_redis_shared_kind(shared_kind_spec const& what, redis_server& server,
                                                  time_source& time);

} // namespace baton::lock
