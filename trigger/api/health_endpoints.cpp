#include "trigger/api/api.hpp"
#include "trigger/api/authorize.hpp"

#include <memory>

namespace baton::trigger {

namespace {

class health_endpoints {
public:
    health_endpoints(std::string token, std::function<nlohmann::json()> status, std::function<awaitable<bool>()> ready)
        : token_(std::move(token)), status_(std::move(status)), ready_(std::move(ready))
    {}

    // Callers without the clients' token are not told why planning or a part of the master fails, which may name
    // servers, nor of the loops.
    awaitable<http::response> alive(http::request const& request) const
    {
        auto shown = status_();
        if (!authorized(request, token_)) {
            shown.erase("cannot_plan");
            shown.erase("failed_parts");
            shown.erase("loops");
        }
        co_return http::json_response(200, shown);
    }

    // Callers without the clients' token are told only whether the node is ready.
    awaitable<http::response> ready(http::request const& request) const
    {
        bool const told = authorized(request, token_);
        bool up = false;
        std::string why = "this node is stopping, or has not joined the cluster yet";
        try {
            up = co_await ready_();
        } catch (unavailable const& reason) {
            why = reason.what();
        }
        if (!up)
            co_return http::problem(503, "Not ready", told ? why : "not ready");
        nlohmann::json shown = {{"status", "ready"}};
        if (told)
            shown = status_();
        co_return http::json_response(200, shown);
    }

private:
    std::string token_;
    std::function<nlohmann::json()> status_;
    std::function<awaitable<bool>()> ready_;
};

} // namespace

void add_health_endpoints(http::router& router, std::string token, std::function<nlohmann::json()> status,
                          std::function<awaitable<bool>()> ready)
{
    auto const api = std::make_shared<health_endpoints>(std::move(token), std::move(status), std::move(ready));
    router.add(http::verb::get, "/healthz", [api](auto const& request) { return api->alive(request); });
    router.add(http::verb::get, "/readyz", [api](auto const& request) { return api->ready(request); });
}

} // namespace baton::trigger
