#include "libs/lock/named/backend.hpp"
#include "libs/lock/redis/redis_kind.hpp"

namespace baton::lock {

namespace {

class redis_backend final : public backend {
public:
    redis_backend(std::string const& url, store_options const& how, backend_parts parts)
        : time_(parts.time), server_(parse_redis_url(url), {parts.loop, parts.time, how.limit}, how.redis_wait_replicas)
    {}

    std::vector<std::unique_ptr<kind>> kinds() override
    {
        std::vector<std::unique_ptr<kind>> all;
        all.push_back(make_redis_kind(server_, time_));
        return all;
    }
    awaitable<void> create_tables() override { co_return; }
    awaitable<std::size_t> reap(duration) override { co_return 0; }

private:
    time_source& time_;
    redis_server server_;
};

} // namespace

std::unique_ptr<backend> open_redis_backend(std::string const& url, store_options const& how, backend_parts parts)
{
    return std::make_unique<redis_backend>(url, how, parts);
}

} // namespace baton::lock
