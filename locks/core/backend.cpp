#include "locks/core/backend.hpp"

#include <stdexcept>

namespace baton::lock {

std::unique_ptr<backend> open_backend(std::string const& url, store_options const& how, backend_deps parts)
{
    auto const scheme = url.substr(0, url.find(':'));
    if (scheme == "mysql" || scheme == "sqlite")
        return open_sql_backend(url, how, parts);
    if (scheme == "redis" || scheme == "redlock" || scheme == "redis-sentinel" || scheme == "redis-cluster") {
#ifdef BATON_LOCKS_ON_REDIS
        return open_redis_backend(url, how, parts);
#else
        throw std::invalid_argument("lock store: this build has no Redis: it was made without hiredis");
#endif
    }
    if (scheme == "zookeeper") {
#ifdef BATON_LOCKS_ON_ZOOKEEPER
        return open_zookeeper_backend(url, how, parts);
#else
        throw std::invalid_argument("lock store: this build has no ZooKeeper: it was made without zookeeper_mt");
#endif
    }
    throw std::invalid_argument(
        "lock store: no store begins with '" + scheme +
        ":'; known are mysql:, sqlite:, redis:, redlock:, redis-sentinel:, redis-cluster: and zookeeper:");
}

} // namespace baton::lock
