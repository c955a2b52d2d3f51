#include "libs/base/log.hpp"
#include "web/api/api.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

// Nothing before the first trigger has made the row, and while its store does not answer.
awaitable<std::optional<lease::lease_row>> lease_row(context& site)
{
    std::optional<lease::lease_row> row;
    try {
        row = co_await site.deps.lease.poll();
    } catch (unavailable const& reason) {
        log::debug("web", "reading the lock row failed, showing the nodes without it", {log::reason(reason.what())});
    }
    co_return row;
}

awaitable<http::response> list_nodes(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const lease = co_await lease_row(site);
    auto const all = co_await site.nodes.all();
    auto const terms = co_await site.terms.list(site.settings.name_space, std::nullopt, 2);
    auto items = nlohmann::json::array();
    for (auto const& node : all)
        items.push_back(show(node, lease));
    auto const shown = lease ? show(*lease) : nlohmann::json();
    auto const gap = terms.empty() ? nlohmann::json() : show(terms[0]).at("gap_ms");
    auto const failover = show_failover(terms);
    co_return http::json_response(
        200, {{"items", std::move(items)}, {"lease", shown}, {"last_gap_ms", gap}, {"last_failover", failover}});
}

} // namespace

void serve_nodes(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/nodes", list_nodes);
}

} // namespace baton::web
