#include "web/api/api.hpp"
#include "web/query.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

awaitable<http::response> list_terms(context& site, http::request const& message)
{
    query asked(message);
    std::optional<std::int64_t> before;
    if (auto const after = asked.text("after"))
        before = query::parse_number(*after, "after");
    auto const limit = static_cast<std::size_t>(asked.number("limit", 50, 1, 500));
    asked.finish();
    auto const rows = static_cast<int>(limit) + 1; // one more tells whether there is a next page
    auto found = co_await site.terms.list(site.name_space, before, rows);
    auto const more = found.size() > limit;
    if (more)
        found.resize(limit);
    auto items = nlohmann::json::array();
    for (auto const& term : found)
        items.push_back(show(term));
    auto const next = more ? nlohmann::json(std::to_string(found.back().epoch)) : nlohmann::json();
    co_return http::json_response(200, {{"items", std::move(items)}, {"next", next}});
}

} // namespace

void serve_terms(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/terms", list_terms);
}

} // namespace baton::web
