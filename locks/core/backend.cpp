#include "locks/core/backend.hpp"

#include <stdexcept>

namespace baton::lock {

std::unique_ptr<backend> open_backend(std::string const& url, store_options const& options, backend_deps deps)
{
    auto const scheme = url.substr(0, url.find(':'));
    if (scheme == "mysql" || scheme == "sqlite")
        return open_sql_backend(url, options, deps);
    if (scheme == "redis" || scheme == "redlock" || scheme == "redis-sentinel" || scheme == "redis-cluster") {
#ifdef BATON_LOCKS_ON_REDIS
        auto const split = split_parameters(url);
        return open_redis_backend(split.base, split.parameters, options, deps);
#else
        throw std::invalid_argument("lock store: this build has no Redis: build it with hiredis");
#endif
    }
    if (scheme == "zookeeper") {
#ifdef BATON_LOCKS_ON_ZOOKEEPER
        auto const split = split_parameters(url);
        return open_zookeeper_backend(split.base, split.parameters, options, deps);
#else
        throw std::invalid_argument("lock store: this build has no ZooKeeper: build it with zookeeper_mt");
#endif
    }
    // Only the scheme, because the rest may contain a password.
    throw std::invalid_argument(
        "lock store: no store begins with '" + scheme +
        ":'; known are mysql:, sqlite:, redis:, redlock:, redis-sentinel:, redis-cluster: and zookeeper:");
}

} // namespace baton::lock
