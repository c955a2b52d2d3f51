#include "libs/base/error.hpp"
#include "libs/storage/migrations.hpp"
#include "web/api/api.hpp"
#include "web/gate.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"

namespace baton::web {

namespace {

awaitable<http::response> health(context&, http::request const& message)
{
    expect_no_query(message);
    co_return http::json_response(200, {{"status", "ok"}});
}

// A wrong schema throws, like a database that does not answer, and becomes 503. The reason names servers and versions,
// so only callers of the API are told it.
awaitable<http::response> readiness(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const set = storage::scheduler_tables();
    std::string why;
    try {
        co_await storage::check_schema(site.deps.shared, set);
    } catch (unavailable const& reason) {
        why = reason.what();
    } catch (storage::schema_mismatch const& mismatch) {
        why = mismatch.what();
    }
    if (why.empty())
        co_return http::json_response(200, {{"status", "ready"}});
    bool const told = may_enter(message, site.settings.token);
    throw refused(503, told ? why : "not ready");
}

} // namespace

void serve_health(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/healthz", health);
    serve(table, site, http::verb::get, "/readyz", readiness);
}

} // namespace baton::web
