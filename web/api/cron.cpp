#include "libs/protocol/new_task.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/schedule/debian.hpp"
#include "libs/schedule/schedule.hpp"
#include "web/api/api.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

// libs/schedule names the fields of a task's document ("schedule.cron"); here they are at the top level.
[[noreturn]] void rethrow_at_top(invalid_input const& wrong)
{
    std::string const prefix = "schedule.";
    auto const& field = wrong.field();
    throw refused(422, wrong.what(), field.starts_with(prefix) ? field.substr(prefix.size()) : field);
}

nlohmann::json explained(nlohmann::json const& document, utc_time now)
{
    protocol::strict_object object(document, "");
    protocol::schedule_spec wanted;
    wanted.kind = protocol::schedule_kind::cron;
    wanted.cron = protocol::read_cron(object);
    wanted.zone = object.text("zone", "UTC", 64);
    auto const count = object.number("count", 5, 1, 1'000);
    object.finish();
    schedule::timetable const times(wanted, utc_time{});
    auto firings = nlohmann::json::array();
    auto before = now;
    for (auto const at : times.between(now, utc_time::max(), static_cast<std::size_t>(count))) {
        firings.push_back(show_firing(at, wanted.zone, before));
        before = at;
    }
    auto notes = schedule::differences_from_debian(wanted.cron, schedule::time_zone(wanted.zone), now);
    return {{"description", schedule::describe(wanted)}, {"next", std::move(firings)}, {"notes", std::move(notes)}};
}

awaitable<http::response> explain(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const document = read_body(message);
    try {
        co_return http::json_response(200, explained(document, site.deps.time.utc()));
    } catch (invalid_input const& wrong) {
        rethrow_at_top(wrong);
    }
}

} // namespace

void serve_cron(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/cron/explain", explain);
}

} // namespace baton::web
