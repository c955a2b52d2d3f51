#include "libs/base/log.hpp"
#include "web/api/api.hpp"
#include "web/overview_cache.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

#include <algorithm>

namespace baton::web {

namespace {

using nlohmann::json;
using count_rows = std::vector<storage::count_row>;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;

json show_lag(storage::tally const& counts, double part)
{
    return or_null(counts.lag(part), [](duration lag) { return static_cast<double>(lag.count()) / 1'000; });
}

json show_counts(storage::tally const& counts)
{
    return {
        {"fired", counts.fired},         {"succeeded", counts.succeeded},       {"failed", counts.failed},
        {"cancelled", counts.cancelled}, {"skipped", counts.skipped},           {"open", counts.open},
        {"late", counts.late()},         {"lag_p50_ms", show_lag(counts, 0.5)}, {"lag_p99_ms", show_lag(counts, 0.99)}};
}

json show_series(count_rows const& series)
{
    auto items = json::array();
    for (auto const& each : series) {
        auto item = show_counts(each.counts);
        item["since"] = to_rfc3339(each.since);
        item["lags"] = each.counts.lags;
        items.push_back(std::move(item));
    }
    return items;
}

storage::tally sum_since(count_rows const& series, utc_time since)
{
    storage::tally all;
    for (auto const& each : series)
        if (each.since >= since)
            all += each.counts;
    return all;
}

count_rows rows_since(count_rows const& series, utc_time from)
{
    count_rows kept;
    for (auto const& each : series)
        if (each.since >= from)
            kept.push_back(each);
    return kept;
}

// The row of the present hour is written once a minute, its minutes every few seconds.
void renew_present_hour(count_rows& hourly, count_rows const& minutely, utc_time present)
{
    std::erase_if(hourly, [&](auto const& each) { return each.since >= present; });
    hourly.push_back({present, sum_since(minutely, present)});
}

struct read_rows {
    count_rows minutely; // of the last two hours
    count_rows hourly;   // of 30 days
};

awaitable<read_rows> read_counts(context& site, protocol::service_key of, utc_time now)
{
    read_rows found;
    found.minutely = co_await site.counts.read(storage::count_span::minute, floor<hours>(now) - 1h, of);
    found.hourly = co_await site.counts.read(storage::count_span::hour, floor<hours>(now) - 24h * 30 + 1h, of);
    renew_present_hour(found.hourly, found.minutely, floor<hours>(now));
    co_return found;
}

void add_counts(json& body, read_rows const& found, utc_time now)
{
    auto const hour = floor<minutes>(now) - 59min;
    auto const day = floor<hours>(now) - 23h;
    body["counted_to"] = found.minutely.empty() ? json() : json(to_rfc3339(found.minutely.back().since + 1min));
    body["last_hour"] = show_counts(sum_since(found.minutely, hour));
    body["last_day"] = show_counts(sum_since(found.hourly, day));
    body["last_month"] = show_counts(sum_since(found.hourly, utc_time::min()));
    body["minutes"] = show_series(rows_since(found.minutely, hour));
    body["hours"] = show_series(rows_since(found.hourly, day));
}

// Null while there is none, and while the lock row cannot be read.
awaitable<json> present_master(context& site, std::vector<storage::term_record> const& terms)
{
    json shown;
    try {
        auto const lease = co_await site.deps.lease.poll();
        if (lease.owner && !lease.expired && !terms.empty() && terms[0].owner == *lease.owner)
            shown = {{"node", terms[0].node},
                     {"incarnation", terms[0].owner},
                     {"epoch", terms[0].epoch},
                     {"since", to_rfc3339(terms[0].acting_at)}};
    } catch (unavailable const& reason) {
        log::debug("web", "reading the lock row failed, showing no master", {log::reason(reason.what())});
    }
    co_return shown;
}

awaitable<json> node_totals(context& site)
{
    int live = 0;
    int gone = 0;
    auto const all = co_await site.nodes.all();
    for (auto const& node : all)
        ++(node.alive() ? live : gone);
    co_return json{{"live", live}, {"gone", gone}};
}

json show_key(protocol::service_key const& key)
{
    return {{"project", key.project}, {"service", key.service}};
}

json show_failing(storage::failing_task const& one)
{
    bool const there = !one.name.empty();
    return {{"task", std::to_string(one.task.value())},
            {"project", there ? json(one.project) : json()},
            {"name", there ? json(one.name) : json()},
            {"service", there ? json(one.service) : json()},
            {"failures", one.failures},
            {"last_at", to_rfc3339(one.last_at)}};
}

json show_next(storage::next_firing const& one)
{
    return {{"at", to_rfc3339(one.at)},
            {"task", std::to_string(one.task.value())},
            {"project", one.project},
            {"name", one.name},
            {"service", one.service},
            {"execution", or_null(one.execution, [](execution_id id) { return std::to_string(id.value()); })}};
}

template <class Row, class Show>
json show_all(std::vector<Row> const& rows, Show shown)
{
    auto items = json::array();
    for (auto const& each : rows)
        items.push_back(shown(each));
    return items;
}

protocol::service_key service_asked(query_parameters& asked)
{
    auto const project = asked.text("project");
    auto const service = asked.text("service");
    if (project.has_value() != service.has_value())
        throw invalid_input(project ? "service" : "project",
                            "project and service name one service together: give both or neither");
    return {project.value_or(""), service.value_or("")};
}

awaitable<json> make_overview(context& site, protocol::service_key of)
{
    auto const terms = co_await site.terms.list(site.settings.name_space, std::nullopt, 2);
    auto const totals = co_await site.totals.read();
    auto const now = totals.now;
    json body{{"at", to_rfc3339(now)}};
    body["master"] = co_await present_master(site, terms);
    body["last_failover"] = show_failover(terms);
    body["last_gap_ms"] = terms.empty() ? json() : show(terms[0]).at("gap_ms");
    body["nodes"] = co_await node_totals(site);
    body["clients"] = {{"live", totals.clients.live},
                       {"unreachable", totals.clients.unreachable},
                       {"draining", totals.clients.draining}};
    body["services_without_client"] = show_all(totals.deserted, show_key);
    body["tasks"] = {
        {"enabled", totals.tasks.enabled}, {"disabled", totals.tasks.disabled}, {"parked", totals.tasks.parked}};
    auto const found = co_await read_counts(site, of, now);
    add_counts(body, found, now);
    body["failing"] = show_all(totals.failing, show_failing);
    auto const next = co_await site.overview.due_next(10);
    body["due_next"] = show_all(next, show_next);
    co_return body;
}

struct making {
    explicit making(kept_answer& answer) : kept(answer) {}
    ~making() { kept.give_up(); }
    making(making const&) = delete;
    making& operator=(making const&) = delete;
    kept_answer& kept;
};

awaitable<http::response> read_overview(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const of = service_asked(asked);
    asked.finish();
    if (!of.project.empty()) {
        auto const body = co_await make_overview(site, of);
        co_return http::json_response(200, body);
    }
    if (auto kept = site.overview_of_all.find(site.deps.time.now()))
        co_return http::text_response(200, std::move(*kept));
    making const mine(site.overview_of_all);
    auto const body = co_await make_overview(site, of);
    auto answer = http::json_response(200, body);
    site.overview_of_all.keep(answer.body, site.deps.time.now());
    co_return answer;
}

} // namespace

void serve_overview(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/overview", read_overview);
}

} // namespace baton::web
