#include "libs/schedule/zones.hpp"

#include "web/api/api.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

constexpr int shown_versions = 50;

nlohmann::json document_for(storage::zone_version const& one)
{
    return {{"version", one.version},
            {"zones", one.name},
            {"changed", one.changed},
            {"valid_from", to_rfc3339(one.valid_from)},
            {"recorded_at", to_rfc3339(one.recorded_at)},
            {"recorded_by", one.recorded_by}};
}

awaitable<http::response> list_zones(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const all = co_await site.zones.list(shown_versions);
    auto items = nlohmann::json::array();
    for (auto const& one : all)
        items.push_back(document_for(one));
    auto const newest = schedule::newest_zones();
    auto const own = newest ? nlohmann::json(newest->version()) : nlohmann::json();
    co_return http::json_response(200, {{"items", std::move(items)}, {"web", own}});
}

} // namespace

void serve_zones(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/zones", list_zones);
}

} // namespace baton::web
