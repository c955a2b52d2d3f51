#include "libs/base/log.hpp"
#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/cursor.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"
#include "web/waiting.hpp"

#include <functional>
#include <set>

namespace baton::web {

namespace {

// Where the next page begins: behind the last execution shown.
std::string cursor_of(utc_time scheduled_at, execution_id id)
{
    return write_cursor(list_of::executions, {to_micros(scheduled_at), id.value()});
}

storage::execution_filter filter_of(query_parameters& asked)
{
    storage::execution_filter filter;
    filter.task = asked.id<task_id>("task");
    filter.project = asked.text("project");
    filter.service = asked.text("service");
    filter.causes = asked.choices<protocol::cause>("cause");
    filter.error = asked.searched("error");
    filter.states = asked.choices<protocol::state>("state");
    filter.open = asked.flag("open");
    filter.late = asked.flag("late");
    filter.planned = asked.flag("planned");
    filter.from = asked.moment("from");
    filter.until = asked.moment("until");
    filter.parent = asked.id<execution_id>("parent");
    if (auto const place = read_cursor(asked, list_of::executions)) {
        filter.after_at = from_micros(place->at(0));
        filter.after_id = execution_id{place->at(1)};
    }
    return filter;
}

awaitable<std::optional<bool>> has_master(context& site)
{
    std::optional<bool> found;
    try {
        auto const row = co_await site.deps.lease.poll();
        found = row.owner && !row.expired;
    } catch (unavailable const& reason) {
        log::debug("web", "reading the lock row failed, showing executions without it", {log::reason(reason.what())});
    }
    co_return found;
}

std::vector<task_id> tasks_that_wait(std::vector<storage::execution_record> const& executions)
{
    std::set<task_id> tasks;
    for (auto const& one : executions)
        if (one.state == protocol::state::waiting)
            tasks.insert(one.task);
    return {tasks.begin(), tasks.end()};
}

// Costs nothing unless one of the executions waits; otherwise up to six statements, however many wait, and one for
// each client that a task names; if one has not begun for two seconds, also a call to the master, whose address is
// kept.
awaitable<cluster_view> look_at_cluster(context& site, std::vector<storage::execution_record> const& executions)
{
    cluster_view seen;
    seen.now = site.deps.time.utc();
    if (auto const ids = held_by_limits(executions, seen.now); !ids.empty()) {
        seen.waits = co_await site.executions.waits(ids);
        seen.pauses = co_await site.services.pauses_in_force();
    }
    if (auto const tasks = tasks_that_wait(executions); !tasks.empty())
        seen.unresponsive = co_await site.executions.unresponsive_of(tasks);
    auto const services = awaited_services(executions, seen.now);
    if (services.empty())
        co_return seen;
    seen.has_master = co_await has_master(site);
    auto standing = co_await site.clients.standing(services);
    seen.now = standing.now;
    seen.clients = std::move(standing.clients);
    seen.places = co_await site.places.of(not_begun(executions, seen.now));
    auto const versions = awaited_routes(executions, seen.now);
    seen.routes = co_await site.executions.routes(versions);
    co_return seen;
}

awaitable<http::response> list_executions(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto filter = filter_of(asked);
    auto const size = read_limit(asked);
    asked.finish();
    filter.limit = size.rows();
    auto const page = co_await site.executions.list(filter);
    auto const seen = co_await look_at_cluster(site, page.items);
    auto shown = show_page(page.items, size,
                           [](storage::execution_record const& last) { return cursor_of(last.scheduled_at, last.id); });
    auto& items = shown.at("items");
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i]["reason"] = or_null(reason_of(page.items[i], seen), std::identity{});
    if (page.looked_to)
        shown["next"] = cursor_of(page.looked_to->at, page.looked_to->id);
    co_return http::json_response(200, shown);
}

refused no_such_execution()
{
    return {404, "there is no execution of this id", "id"};
}

awaitable<http::response> read_execution(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<execution_id>(message);
    auto const execution = co_await site.executions.find(id);
    if (!execution)
        throw no_such_execution();
    auto const attempts = co_await site.executions.attempts(id);
    std::vector<storage::execution_record> const alone{*execution};
    auto const seen = co_await look_at_cluster(site, alone);
    auto body = show(*execution);
    body["reason"] = or_null(reason_of(*execution, seen), std::identity{});
    body.erase("first_attempt");
    body["payload"] = or_null(co_await site.executions.payload(id),
                              [](std::string const& text) { return nlohmann::json::parse(text); });
    body["unresponsive"] = or_null(co_await site.executions.unresponsive(id),
                                   [](storage::unresponsive_record const& handler) { return show(handler); });
    auto& stops = body["stops"] = nlohmann::json::array();
    auto const asked = co_await site.executions.stops(id);
    for (auto const& each : asked)
        stops.push_back(show(each));
    body["late_report"] =
        or_null(co_await site.executions.late(id), [](storage::late_report const& report) { return show(report); });
    auto& behind = body["kept_back_by"] = nlohmann::json::array();
    for (auto const each : kept_back_by(*execution, seen))
        behind.push_back(to_string(each));
    auto& waits = body["waits"] = nlohmann::json::array();
    std::vector<execution_id> const this_one{id};
    auto const waited = co_await site.executions.waits(this_one);
    for (auto const& [which, all] : waited)
        for (auto const& each : all)
            waits.push_back(show(each, execution->ended_at));
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

awaitable<http::response> release(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<execution_id>(message);
    auto const execution = co_await site.executions.find(id);
    if (!execution)
        throw no_such_execution();
    bool const done = co_await site.executions.release(id);
    if (!done)
        throw refused(409, "no handler of this execution is known to run on after its end", "id");
    log::info("web", "an unresponsive handler was released", {{"execution", to_string(id)}});
    co_return http::json_response(200, {{"execution", to_string(id)}, {"released", true}});
}

} // namespace

void serve_executions(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/executions", list_executions);
    serve(table, site, http::verb::get, "/api/v1/executions/{id}", read_execution);
    serve(table, site, http::verb::post, "/api/v1/executions/{id}/cancel", cancel);
    serve(table, site, http::verb::post, "/api/v1/executions/{id}/release", release);
}

} // namespace baton::web
