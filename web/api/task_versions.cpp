#include "libs/protocol/slowdown.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/api/listing.hpp"
#include "web/cursor.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

#include <algorithm>
#include <limits>

namespace baton::web {

namespace {

awaitable<http::response> list_versions(context& site, http::request const& message)
{
    auto const id = path_id<task_id>(message);
    query_parameters asked(message);
    std::optional<int> before;
    if (auto const place = read_cursor(asked, list_of::versions))
        before = static_cast<int>(std::min<std::int64_t>(place->at(0), std::numeric_limits<int>::max()));
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.tasks.versions(id, before, size.rows());
    if (found.empty() && !before)
        expect_done(storage::edit_outcome::not_found);
    co_return http::json_response(200, show_page(found, size, [](storage::task_version_record const& last) {
                                      return write_cursor(list_of::versions, {last.version});
                                  }));
}

awaitable<http::response> list_skipped(context& site, http::request const& message)
{
    auto const id = path_id<task_id>(message);
    query_parameters asked(message);
    std::optional<utc_time> before;
    if (auto const place = read_cursor(asked, list_of::skipped))
        before = from_micros(place->at(0));
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.tasks.skipped_ranges(id, before, size.rows());
    co_return http::json_response(200, show_page(found, size, [](storage::skipped_range const& last) {
                                      return write_cursor(list_of::skipped, {to_micros(last.first)});
                                  }));
}

nlohmann::json show_median(protocol::median_time const& one)
{
    return {{"runs", one.runs}, {"median_ms", one.median / 1ms}};
}

awaitable<http::response> read_run_times(context& site, http::request const& message)
{
    auto const id = path_id<task_id>(message);
    expect_no_query(message);
    auto const task = co_await site.tasks.find(id);
    if (!task)
        expect_done(storage::edit_outcome::not_found);
    std::vector<task_id> const tasks{id};
    auto const times = co_await site.times.latest(tasks);
    auto const summary = protocol::summarise(times.contains(id) ? times.at(id) : std::vector<duration>{});
    co_return http::json_response(200, {{"recent", or_null(summary.recent, show_median)},
                                        {"earlier", or_null(summary.earlier, show_median)},
                                        {"slow", summary.slow()}});
}

awaitable<http::response> list_deleted(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const project = asked.text("project").value_or(std::string(protocol::default_project));
    auto const name = asked.text("name");
    auto const size = read_limit(asked);
    asked.finish();
    if (!name)
        throw invalid_input("name", "is required: the name that the task had");
    auto const found = co_await site.tasks.deleted(project, *name, static_cast<int>(size.items));
    auto items = nlohmann::json::array();
    for (auto const& each : found)
        items.push_back(show(each));
    nlohmann::json body{{"items", std::move(items)}};
    co_return http::json_response(200, body);
}

} // namespace

void serve_task_versions(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}/versions", list_versions);
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}/skipped", list_skipped);
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}/run-times", read_run_times);
    serve(table, site, http::verb::get, "/api/v1/deleted-tasks", list_deleted);
}

} // namespace baton::web
