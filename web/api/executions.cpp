#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

// Where the next page begins: "MICROSECONDS_ID" of the last execution shown. Opaque to callers.
std::string cursor_of(utc_time scheduled_at, execution_id id)
{
    return std::to_string(to_micros(scheduled_at)) + '_' + to_string(id);
}

constexpr execution_id before_any{1}; // behind every execution of an instant

void continue_after(storage::execution_filter& filter, std::optional<std::string> const& cursor)
{
    if (!cursor)
        return;
    auto const bar = cursor->find('_');
    if (bar == std::string::npos)
        throw invalid_input("after", "after must be the 'next' of an earlier answer");
    filter.before_at = from_micros(query_parameters::parse_number(cursor->substr(0, bar), "after"));
    filter.before_id = execution_id{query_parameters::parse_number(cursor->substr(bar + 1), "after")};
}

storage::execution_filter filter_of(query_parameters& asked)
{
    storage::execution_filter filter;
    filter.task = asked.id<task_id>("task");
    filter.project = asked.text("project");
    if (auto const state = asked.text("state"))
        filter.state = protocol::parse<protocol::state>(*state, "state");
    filter.open = asked.flag("open");
    filter.from = asked.moment("from");
    filter.until = asked.moment("until");
    filter.parent = asked.id<execution_id>("parent");
    continue_after(filter, asked.text("after"));
    return filter;
}

awaitable<http::response> list_executions(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto filter = filter_of(asked);
    auto const size = read_limit(asked);
    asked.finish();
    filter.limit = size.rows();
    auto const page = co_await site.executions.list(filter);
    auto shown = show_page(page.items, size,
                           [](storage::execution_record const& last) { return cursor_of(last.scheduled_at, last.id); });
    if (page.looked_to)
        shown["next"] = cursor_of(*page.looked_to, before_any);
    co_return http::json_response(200, shown);
}

refused no_such_execution()
{
    return {404, "there is no execution of this id", "id"};
}

awaitable<http::response> read(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<execution_id>(message);
    auto const execution = co_await site.executions.find(id);
    if (!execution)
        throw no_such_execution();
    auto const attempts = co_await site.executions.attempts(id);
    auto body = show(*execution);
    body.erase("first_attempt");
    auto& shown = body["attempts"] = nlohmann::json::array();
    for (auto const& attempt : attempts)
        shown.push_back(show(attempt));
    co_return http::json_response(200, body);
}

awaitable<http::response> cancel(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<execution_id>(message);
    auto const done = co_await site.executions.request_cancel(id, site.ids);
    if (done.outcome == storage::cancel_outcome::not_found)
        throw no_such_execution();
    if (done.outcome == storage::cancel_outcome::already_ended)
        throw refused(409, "the execution has already ended: " + std::string(protocol::to_string(done.state)), "id");
    bool const notified = co_await site.master.notify(protocol::signal_kind::cancel, done.signal, id.value());
    co_return http::json_response(
        202, {{"execution", to_string(id)}, {"state", protocol::to_string(done.state)}, {"master_notified", notified}});
}

} // namespace

void serve_executions(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/executions", list_executions);
    serve(table, site, http::verb::get, "/api/v1/executions/{id}", read);
    serve(table, site, http::verb::post, "/api/v1/executions/{id}/cancel", cancel);
}

} // namespace baton::web
