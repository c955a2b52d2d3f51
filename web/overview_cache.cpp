#include "web/overview_cache.hpp"

namespace baton::web {

namespace {

constexpr duration age_limit = 10s;
constexpr std::size_t most_services = 500;
constexpr int most_failing = 10;

} // namespace

awaitable<cluster_totals> overview_cache::read()
{
    if (!last_ || time_.now() - read_at_ >= age_limit) {
        cluster_totals fresh;
        fresh.tasks = co_await overview_.tasks();
        fresh.clients = co_await overview_.clients();
        std::optional<std::string> const any;
        protocol::service_key const first;
        auto const services = co_await services_.list(any, first, most_services);
        for (auto const& each : services)
            if (!fresh.clients.services.contains(each))
                fresh.deserted.push_back(each);
        fresh.failing = co_await overview_.failing(time_.utc() - 24h, most_failing);
        last_ = std::move(fresh);
        read_at_ = time_.now();
    }
    auto copy = *last_;
    copy.now = time_.utc();
    co_return copy;
}

} // namespace baton::web
