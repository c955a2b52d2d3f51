#include "locks/core/backend.hpp"

#include "locks/redis/cluster_route.hpp"
#include "locks/redis/kind.hpp"
#include "locks/redis/majority_kind.hpp"
#include "locks/redis/sentinel_route.hpp"
#include "locks/redis/shared_kind.hpp"

#include <set>
#include <stdexcept>

namespace baton::lock {

namespace {

// A single route, or one for each server of a majority lock.
std::vector<std::unique_ptr<redis_route>> routes_of(redis_url url, url_parameters const& parameters,
                                                    redis_connection_deps deps)
{
    std::vector<std::unique_ptr<redis_route>> all;
    if (url.setup == redis_setup::sentinels) {
        for (auto& each : url.servers) {
            each.user = parameters.text("sentinel_user");
            each.password = parameters.text("sentinel_password");
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

void check_parameters(redis_url const& url, url_parameters const& parameters)
{
    std::set<std::string> known{"wait_replicas"};
    if (url.setup == redis_setup::sentinels)
        known.insert({"sentinel_user", "sentinel_password"});
    parameters.check_names(url.setup == redis_setup::sentinels ? "redis-sentinel" : "Redis without sentinels", known);
    if (!parameters.text("sentinel_user").empty() && parameters.text("sentinel_password").empty())
        throw std::invalid_argument(
            "lock store: URL parameter 'sentinel_user': has no password: add sentinel_password or leave it out");
}

class redis_backend final : public backend {
public:
    redis_backend(std::string const& url, url_parameters const& parameters, store_options const& options,
                  backend_deps deps)
        : deps_(deps), open_(deps.loop)
    {
        auto const parsed = parse_redis_url(url);
        check_parameters(parsed, parameters);
        auto const replicas = parameters.number("wait_replicas", 0, 100, 0);
        redis_connection_deps const shared{deps.loop, deps.time, options.limit};
        for (auto& each : routes_of(parsed, parameters, shared))
            servers_.push_back(std::make_unique<redis_server>(std::move(each), shared, replicas));
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
        majority_deps majority{{}, deps_.loop, deps_.time, deps_.random, open_};
        for (auto const& each : servers_)
            majority.servers.push_back(each.get());
        all.push_back(make_majority_kind(std::move(majority)));
        return all;
    }
    awaitable<void> create_tables() override { co_return; }
    awaitable<std::size_t> reap(duration) override { co_return 0; }

private:
    backend_deps deps_;
    open_votes open_; // of majority locks
    std::vector<std::unique_ptr<redis_server>> servers_;
};

} // namespace

std::unique_ptr<backend> open_redis_backend(std::string const& url, url_parameters const& parameters,
                                            store_options const& options, backend_deps deps)
{
    return std::make_unique<redis_backend>(url, parameters, options, deps);
}

} // namespace baton::lock
