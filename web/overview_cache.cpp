#include "web/overview_cache.hpp"

namespace baton::web {

namespace {

constexpr duration age_limit = 10s;
constexpr std::size_t most_services = 500;
constexpr int most_failing = 10;
constexpr int most_slow = 10;
constexpr std::size_t most_projects = 100; // whose totals are kept

} // namespace

awaitable<storage::task_totals> overview_cache::tasks()
{
    if (!tasks_ || time_.now() - tasks_->read_at >= age_limit) {
        auto const fresh = co_await overview_.tasks();
        tasks_ = {fresh, time_.now()};
    }
    co_return tasks_->totals;
}

awaitable<cluster_totals> overview_cache::make(std::optional<std::string> project)
{
    cluster_totals fresh;
    fresh.tasks = co_await tasks();
    fresh.clients = co_await overview_.clients(project);
    protocol::service_key const first;
    auto const services = co_await services_.list(project, first, most_services);
    for (auto const& each : services) {
        auto const clients = fresh.clients.services.find(each);
        if (clients == fresh.clients.services.end())
            fresh.unserved.push_back({each, 0});
        else if (clients->second.taking == 0)
            fresh.unserved.push_back({each, clients->second.live});
    }
    auto const now = time_.utc();
    fresh.failing = co_await overview_.failing(project, now - 24h, most_failing);
    fresh.failed = co_await overview_.failed(project, now - 1h);
    fresh.slow = co_await times_.slow(project, most_slow);
    co_return fresh;
}

awaitable<cluster_totals> overview_cache::read(std::optional<std::string> project)
{
    auto found = kept_.find(project);
    if (found == kept_.end() || time_.now() - found->second.read_at >= age_limit) {
        auto fresh = co_await make(project);
        std::erase_if(kept_, [&](auto const& each) { return time_.now() - each.second.read_at >= age_limit; });
        if (kept_.size() >= most_projects)
            kept_.clear();
        found = kept_.insert_or_assign(project, kept_totals{std::move(fresh), time_.now()}).first;
    }
    auto copy = found->second.totals;
    copy.now = time_.utc();
    co_return copy;
}

} // namespace baton::web
