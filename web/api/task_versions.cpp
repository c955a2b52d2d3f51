#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/api/listing.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

#include <limits>

namespace baton::web {

namespace {

awaitable<http::response> list_versions(context& site, http::request const& message)
{
    auto const id = path_id<task_id>(message);
    query_parameters asked(message);
    std::optional<int> before;
    if (asked.text("after"))
        before = static_cast<int>(asked.number("after", 1, 1, std::numeric_limits<int>::max()));
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.tasks.versions(id, before, size.rows());
    if (found.empty() && !before)
        expect_done(storage::edit_outcome::not_found);
    co_return http::json_response(200, show_page(found, size, [](storage::task_version_record const& last) {
                                      return std::to_string(last.version);
                                  }));
}

} // namespace

void serve_task_versions(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}/versions", list_versions);
}

} // namespace baton::web
