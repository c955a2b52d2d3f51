#include "trigger/api/api.hpp"

#include <memory>

namespace baton::trigger {

namespace {

class health_endpoints {
public:
    health_endpoints(node_status const& status, std::function<awaitable<bool>()> ready)
        : status_(status), ready_(std::move(ready))
    {}

    awaitable<http::response> alive() const { co_return http::json_response(200, status_.document()); }

    awaitable<http::response> ready() const
    {
        bool const up = co_await ready_();
        if (!up)
            co_return http::problem(503, "Not ready", "the database does not answer, or this node is stopping");
        co_return http::json_response(200, status_.document());
    }

private:
    node_status const& status_;
    std::function<awaitable<bool>()> ready_;
};

} // namespace

void add_health_endpoints(http::router& router, node_status const& status, std::function<awaitable<bool>()> ready)
{
    auto const api = std::make_shared<health_endpoints>(status, std::move(ready));
    router.add(http::verb::get, "/healthz", [api](auto const&) { return api->alive(); });
    router.add(http::verb::get, "/readyz", [api](auto const&) { return api->ready(); });
}

} // namespace baton::trigger
