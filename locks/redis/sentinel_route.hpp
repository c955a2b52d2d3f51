#pragma once
// The way to the master that sentinels name (Redis, Guidelines for Redis clients with support for Sentinel). They are
// asked in turn, he who answered last first; whom they name must say himself that he is the master. They are asked anew
// when the connection to it has ended, or when it says that it is none any more.

#include "locks/redis/route.hpp"

namespace baton::lock {

std::unique_ptr<redis_route> make_sentinel_route(redis_url const& of, redis_connection_parts parts);

} // namespace baton::lock
