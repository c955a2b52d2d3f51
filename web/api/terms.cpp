#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/cursor.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

awaitable<http::response> list_terms(context& site, http::request const& message)
{
    query_parameters asked(message);
    std::optional<std::int64_t> before;
    if (auto const place = read_cursor(asked, list_of::terms))
        before = place->front();
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.terms.list(site.settings.name_space, before, size.rows());
    co_return http::json_response(200, show_page(found, size, [](storage::term_record const& last) {
                                      return write_cursor(list_of::terms, {static_cast<std::int64_t>(last.epoch)});
                                  }));
}

} // namespace

void serve_terms(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/terms", list_terms);
}

} // namespace baton::web
