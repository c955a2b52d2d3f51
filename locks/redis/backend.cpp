#include "locks/core/backend.hpp"

#include "locks/redis/cluster_route.hpp"
#include "locks/redis/kind.hpp"
#include "locks/redis/majority_kind.hpp"
#include "locks/redis/sentinel_route.hpp"
#include "locks/redis/shared_kind.hpp"

namespace baton::lock {

namespace {

// One, or those of which a majority decides.
std::vector<std::unique_ptr<redis_route>> routes_of(redis_url where, store_options const& how,
                                                    redis_connection_parts parts)
{
    std::vector<std::unique_ptr<redis_route>> all;
    if (where.setup == redis_setup::sentinels) {
        for (auto& each : where.servers) {
            each.user = how.redis_sentinel_user;
            each.password = how.redis_sentinel_password;
        }
        all.push_back(make_sentinel_route(where, parts));
    } else if (where.setup == redis_setup::cluster) {
        all.push_back(make_cluster_route(where, parts));
    } else {
        for (auto const& each : where.servers)
            all.push_back(make_route_to(each, parts));
    }
    return all;
}

class redis_backend final : public backend {
public:
    redis_backend(std::string const& url, store_options const& how, backend_deps parts) : parts_(parts)
    {
        redis_connection_parts const shared{parts.loop, parts.time, how.limit};
        for (auto& each : routes_of(parse_redis_url(url), how, shared))
            servers_.push_back(std::make_unique<redis_server>(std::move(each), shared, how.redis_wait_replicas));
    }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        if (servers_.size() == 1) {
            all.push_back(make_redis_kind(*servers_.front(), parts_.time, parts_.random));
            for (auto const& each : shared_kind_specs)
                all.push_back(make_redis_shared_kind(each, *servers_.front(), parts_.time));
            return all;
        }
        majority_parts made{{}, parts_.loop, parts_.time, parts_.random};
        for (auto const& each : servers_)
            made.servers.push_back(each.get());
        all.push_back(make_majority_kind(std::move(made)));
        return all;
    }
    awaitable<void> create_tables() override { co_return; }
    awaitable<std::size_t> reap(duration) override { co_return 0; }

private:
    backend_deps parts_;
    std::vector<std::unique_ptr<redis_server>> servers_;
};

} // namespace

std::unique_ptr<backend> open_redis_backend(std::string const& url, store_options const& how, backend_deps parts)
{
    return std::make_unique<redis_backend>(url, how, parts);
}

} // namespace baton::lock
