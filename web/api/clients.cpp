#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

constexpr int most_in_page = static_cast<int>(protocol::most_figures);

storage::clients::scope read_scope(query_parameters& asked)
{
    storage::clients::scope of{asked.text("project"), asked.text("service")};
    if (of.service && !of.project)
        throw invalid_input("service", "service needs project: two projects may have a service of one name");
    return of;
}

awaitable<http::response> list_clients(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const of = read_scope(asked);
    auto const after = asked.text("after").value_or("");
    page_size const size{static_cast<std::size_t>(asked.number("limit", most_in_page, 1, most_in_page))};
    asked.finish();
    auto clients = co_await site.clients.find_in(of, after, size.items + 1);
    bool const more = clients.size() > size.items;
    if (more)
        clients.pop_back();
    auto const told = co_await site.figures.of(clients);
    auto items = nlohmann::json::array();
    for (std::size_t i = 0; i < clients.size(); ++i)
        items.push_back(show(clients[i], told[i]));
    auto next = more ? nlohmann::json(clients.back().instance) : nlohmann::json();
    co_return http::json_response(200, {{"items", std::move(items)}, {"next", std::move(next)}});
}

} // namespace

void serve_clients(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/clients", list_clients);
}

} // namespace baton::web
