#include "trigger/api/api.hpp"

#include <memory>

namespace baton::trigger {

namespace {

class health_endpoints {
public:
    explicit health_endpoints(health_calls calls) : calls_(std::move(calls)) {}

    awaitable<http::response> alive() const { co_return http::json_response(200, calls_.status()); }

    awaitable<http::response> ready() const
    {
        bool const up = co_await calls_.ready();
        if (!up)
            co_return http::problem(503, "Not ready", "the database does not answer, or this node is stopping");
        co_return http::json_response(200, calls_.status());
    }

private:
    health_calls calls_;
};

} // namespace

void add_health_endpoints(http::router& to, health_calls calls)
{
    auto const api = std::make_shared<health_endpoints>(std::move(calls));
    to.add(http::verb::get, "/healthz", [api](auto const&) { return api->alive(); });
    to.add(http::verb::get, "/readyz", [api](auto const&) { return api->ready(); });
}

} // namespace baton::trigger
