#pragma once
// The route to the master that sentinels name (Redis, Guidelines for Redis clients with support for Sentinel). The
// sentinels are asked one after the other, starting with the one that answered most recently. The server that they name
// must confirm that it is the master. They are asked again when the connection to the master has ended, or when the
// server says that it is no longer the master.

#include "locks/redis/route.hpp"

namespace baton::lock {

std::unique_ptr<redis_route> make_sentinel_route(redis_url const& url, redis_connection_deps deps);

} // namespace baton::lock
