#pragma once
// Semaphores and read-write locks on one Redis server. The guarantee is efficiency only, as for all locks there
// (kind.hpp).

#include "locks/redis/server.hpp"

namespace baton::lock {

// The server must outlive the kind.
std::unique_ptr<lock_kind> make_redis_shared_kind(shared_kind_spec const& spec, redis_server& server,
                                                  time_source& time);

} // namespace baton::lock
