#include "libs/storage/migrations.hpp"
#include "web/api/api.hpp"
#include "web/query_parameters.hpp"

namespace baton::web {

namespace {

awaitable<http::response> health(context&, http::request const& message)
{
    expect_no_query(message);
    co_return http::json_response(200, {{"status", "ok"}});
}

// A wrong schema throws, like a database that does not answer, and becomes 503.
awaitable<http::response> readiness(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const set = storage::scheduler_tables();
    co_await storage::check_schema(site.deps.shared, set);
    co_return http::json_response(200, {{"status", "ready"}});
}

} // namespace

void serve_health(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/healthz", health);
    serve(table, site, http::verb::get, "/readyz", readiness);
}

} // namespace baton::web
