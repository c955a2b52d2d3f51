#include "libs/base/log.hpp"
#include "web/api/api.hpp"
#include "web/overview_view.hpp"
#include "web/pause_view.hpp"
#include "web/query_parameters.hpp"
#include "web/view.hpp"

#include <memory>

namespace baton::web {

namespace {

using nlohmann::json;
using std::chrono::floor;
using std::chrono::hours;

constexpr std::size_t most_pauses = 20;
constexpr std::size_t most_kept = 100; // answers, of a project each
constexpr int most_due = 10;

awaitable<overview_counts> read_counts(context& site, protocol::service_key of, utc_time now)
{
    overview_counts found;
    found.minutely = co_await site.counts.read(storage::count_span::minute, floor<hours>(now) - 1h, of);
    found.hourly = co_await site.counts.read(storage::count_span::hour, floor<hours>(now) - 24h * 30 + 1h, of);
    renew_present_hour(found.hourly, found.minutely, floor<hours>(now));
    co_return found;
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

// Adds `paused` and `more_paused`.
awaitable<void> add_pauses(json& body, context& site, std::optional<std::string> project)
{
    auto items = json::array();
    bool more = false;
    auto const pauses = co_await site.services.pauses_in_force();
    for (auto const& each : pauses) {
        if (project && each.of.project != *project)
            continue;
        more = items.size() == most_pauses;
        if (more)
            break;
        auto const& service = each.of.service;
        items.push_back({{"project", each.of.project},
                         {"service", service.empty() ? json() : json(service)},
                         {"pause", show_pause(&each)}});
    }
    body["paused"] = std::move(items);
    body["more_paused"] = more;
}

struct question {
    std::optional<std::string> project;
    protocol::service_key counted; // an empty one for the counts of all
};

question read_question(http::request const& message)
{
    query_parameters asked(message);
    question of;
    of.project = asked.text("project");
    auto const service = asked.text("service");
    asked.finish();
    if (service && !of.project)
        throw invalid_input("project", "project and service name one service together: give the project too");
    if (service)
        of.counted = {*of.project, *service};
    return of;
}

awaitable<json> make_overview(context& site, question of)
{
    auto const terms = co_await site.terms.list(site.settings.name_space, std::nullopt, 2);
    auto const totals = co_await site.totals.read(of.project);
    auto const now = totals.now;
    json body{{"at", to_rfc3339(now)}};
    body["master"] = co_await present_master(site, terms);
    body["last_failover"] = show_failover(terms);
    body["last_gap_ms"] = terms.empty() ? json() : show(terms[0]).at("gap_ms");
    auto const nodes = co_await site.nodes.all();
    add_nodes(body, nodes);
    add_totals(body, totals);
    co_await add_pauses(body, site, of.project);
    auto const found = co_await read_counts(site, of.counted, now);
    add_counts(body, found, now);
    auto const open = co_await site.overview.open_letters(of.project);
    body["open_dead_letters"] = show(open);
    auto const next = co_await site.overview.due_next(of.project, most_due);
    body["due_next"] = show(next);
    co_return body;
}

struct making {
    explicit making(std::shared_ptr<kept_answer> answer) : kept(std::move(answer)) {}
    ~making() { kept->give_up(); }
    making(making const&) = delete;
    making& operator=(making const&) = delete;
    std::shared_ptr<kept_answer> kept;
};

// The answer that is kept for a project, or for all.
std::shared_ptr<kept_answer> kept_of(context& site, std::optional<std::string> const& project)
{
    auto& all = site.overviews;
    if (all.size() >= most_kept && !all.contains(project))
        all.clear();
    auto& one = all[project];
    if (!one)
        one = std::make_shared<kept_answer>();
    return one;
}

awaitable<http::response> read_overview(context& site, http::request const& message)
{
    auto const of = read_question(message);
    if (!of.counted.service.empty()) {
        auto const body = co_await make_overview(site, of);
        co_return http::json_response(200, body);
    }
    auto const kept = kept_of(site, of.project);
    if (auto last = kept->find(site.deps.time.now()))
        co_return http::text_response(200, std::move(*last));
    making const mine(kept);
    auto const body = co_await make_overview(site, of);
    auto answer = http::json_response(200, body);
    kept->keep(answer.body, site.deps.time.now());
    co_return answer;
}

awaitable<http::response> list_upcoming(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const project = asked.text("project");
    auto const until = asked.moment("until");
    auto const limit = static_cast<std::size_t>(asked.number("limit", 100, 1, 500));
    asked.finish();
    auto next = co_await site.overview.due_next(project, static_cast<int>(limit) + 1);
    if (until)
        std::erase_if(next, [&](storage::next_firing const& each) { return each.at >= *until; });
    bool const more = next.size() > limit;
    next.resize(std::min(next.size(), limit));
    co_return http::json_response(200, {{"items", show(next)}, {"more", more}});
}

} // namespace

void serve_overview(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/overview", read_overview);
    serve(table, site, http::verb::get, "/api/v1/upcoming", list_upcoming);
}

} // namespace baton::web
