#include "web/overview_view.hpp"

#include "web/node_state.hpp"
#include "web/view.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace baton::web {

namespace {

using nlohmann::json;
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

json show_unserved(unserved_service const& one)
{
    return {{"project", one.which.project}, {"service", one.which.service}, {"clients", one.clients}};
}

json show_failing(storage::failing_task const& one)
{
    bool const there = !one.name.empty();
    return {{"task", std::to_string(one.task.value())},
            {"project", there ? json(one.project) : json()},
            {"name", there ? json(one.name) : json()},
            {"service", there ? json(one.service) : json()},
            {"failures", one.failures},
            {"open", one.open},
            {"last_at", to_rfc3339(one.last_at)},
            {"error", or_null(one.error, [](std::string const& text) { return text; })}};
}

json show_slow(storage::slow_task const& one)
{
    return {{"task", std::to_string(one.task.value())},
            {"project", one.project},
            {"name", one.name},
            {"service", one.service},
            {"usual_ms", one.usual / 1ms},
            {"recent_ms", one.recent / 1ms},
            {"since", to_rfc3339(one.since)}};
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

} // namespace

// The row of the present hour is written once a minute, its minutes every few seconds.
void renew_present_hour(count_rows& hourly, count_rows const& minutely, utc_time present)
{
    std::erase_if(hourly, [&](auto const& each) { return each.since >= present; });
    hourly.push_back({present, sum_since(minutely, present)});
}

void add_nodes(json& body, std::vector<storage::node_record> const& all)
{
    std::set<std::string_view> live;
    for (auto const& node : all)
        if (node.alive())
            live.insert(node.name);
    std::map<node_state, int> counts;
    for (auto const& node : all)
        if (node.alive() || !live.contains(node.name))
            ++counts[state_of(node)];
    int const gone = counts[node_state::gone];
    int sum = 0;
    for (auto const& [state, count] : counts)
        sum += count;
    body["nodes"] = {{"live", sum - gone},
                     {"draining", counts[node_state::draining]},
                     {"silent", counts[node_state::silent]},
                     {"cut_off", counts[node_state::cut_off]},
                     {"part_failed", counts[node_state::part_failed]},
                     {"cannot_plan", counts[node_state::cannot_plan]},
                     {"gone", gone}};
}

void add_counts(json& body, overview_counts const& found, utc_time now)
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

void add_totals(json& body, cluster_totals const& totals)
{
    body["clients"] = {{"live", totals.clients.live},
                       {"unreachable", totals.clients.unreachable},
                       {"draining", totals.clients.draining}};
    body["services_without_client"] = show_all(totals.unserved, show_unserved);
    body["tasks"] = {
        {"enabled", totals.tasks.enabled}, {"disabled", totals.tasks.disabled}, {"parked", totals.tasks.parked}};
    body["failing"] = show_all(totals.failing, show_failing);
    body["slow"] = show_all(totals.slow, show_slow);
    body["failed_last_hour"] = show(totals.failed);
}

json show(std::vector<storage::next_firing> const& firings)
{
    return show_all(firings, show_next);
}

} // namespace baton::web
