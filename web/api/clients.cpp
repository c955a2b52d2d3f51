#include "web/api/api.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

awaitable<http::response> list_clients(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const all = co_await site.clients.all();
    auto items = nlohmann::json::array();
    for (auto const& client : all.clients)
        items.push_back(show(client));
    co_return http::json_response(200, {{"items", std::move(items)}});
}

} // namespace

void serve_clients(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/clients", list_clients);
}

} // namespace baton::web
