#include "locks/core/backend.hpp"

#include "locks/redis/cluster_route.hpp"
#include "locks/redis/kind.hpp"
#include "locks/redis/majority_kind.hpp"
#include "locks/redis/sentinel_route.hpp"
#include "locks/redis/shared_kind.hpp"

namespace baton::lock {

namespace {

// One route, or one for each server of a majority lock.
std::vector<std::unique_ptr<redis_route>> routes_of(redis_url url, store_options const& options,
                                                    redis_connection_deps deps)
{
    std::vector<std::unique_ptr<redis_route>> all;
    if (url.setup == redis_setup::sentinels) {
        for (auto& each : url.servers) {
            each.user = options.redis_sentinel_user;
            each.password = options.redis_sentinel_password;
        }
        all.push_back(make_sentinel_route(url, deps));
    } else if (url.setup == redis_setup::cluster) {
        all.push_back(make_cluster_route(url, deps));
    } else {
        for (auto const& each : url.servers)
            all.push_back(make_route_to(each, deps));
    }
    return all;
}

class redis_backend final : public backend {
public:
    redis_backend(std::string const& url, store_options const& options, backend_deps deps) : deps_(deps)
    {
        redis_connection_deps const shared{deps.loop, deps.time, options.limit};
        for (auto& each : routes_of(parse_redis_url(url), options, shared))
            servers_.push_back(std::make_unique<redis_server>(std::move(each), shared, options.redis_wait_replicas));
    }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        if (servers_.size() == 1) {
            all.push_back(make_redis_kind(*servers_.front(), deps_.time, deps_.random));
            for (auto const& each : shared_kind_specs)
                all.push_back(make_redis_shared_kind(each, *servers_.front(), deps_.time));
            return all;
        }
        majority_deps majority{{}, deps_.loop, deps_.time, deps_.random};
        for (auto const& each : servers_)
            majority.servers.push_back(each.get());
        all.push_back(make_majority_kind(std::move(majority)));
        return all;
    }
    awaitable<void> create_tables() override { co_return; }
    awaitable<std::size_t> reap(duration) override { co_return 0; }

private:
    backend_deps deps_;
    std::vector<std::unique_ptr<redis_server>> servers_;
};

} // namespace

std::unique_ptr<backend> open_redis_backend(std::string const& url, store_options const& options, backend_deps deps)
{
    return std::make_unique<redis_backend>(url, options, deps);
}

} // namespace baton::lock
