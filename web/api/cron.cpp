#include "libs/protocol/new_task.hpp"
#include "libs/protocol/schedule_spec.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/schedule/cron_hash.hpp"
#include "libs/schedule/schedule.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
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

// The project and the name of a task, which there need not be.
protocol::task_definition read_task_name(protocol::strict_object& object)
{
    protocol::task_definition task;
    if (object.find("project") != nullptr)
        task.project = object.need_text("project", protocol::longest_project);
    protocol::check_name(task.project, "project");
    if (object.find("name") != nullptr) {
        task.name = object.need_text("name", 190);
        protocol::check_name(task.name, "name");
    }
    protocol::check_new_names(task);
    return task;
}

// The schedule in the request. A hashed value follows from hash_seed, or from the project and the name of a task.
protocol::schedule_spec read_schedule(protocol::strict_object& object)
{
    protocol::schedule_spec wanted;
    wanted.kind = protocol::schedule_kind::cron;
    wanted.cron = protocol::read_cron(object);
    wanted.zone = object.text("zone", "UTC", 64);
    wanted.rules = protocol::parse_cron_rules(object);
    auto const task = read_task_name(object);
    if (!wanted.rules.hash_seed && !task.name.empty() && schedule::has_hash(wanted.cron))
        wanted.rules.hash_seed = schedule::hash_seed_of(task.project, task.name);
    return wanted;
}

nlohmann::json explain_expression(nlohmann::json const& document, utc_time now)
{
    protocol::strict_object object(document, "", R"({"cron": "0 2 * * 1-5", "zone": "Europe/Berlin"})");
    auto const wanted = read_schedule(object);
    auto const count = object.number("count", 5, 1, 1'000);
    object.finish();
    schedule::timetable const times(wanted, utc_time{});
    auto firings = nlohmann::json::array();
    auto before = now;
    for (auto const at : times.between(now, utc_time::max(), static_cast<std::size_t>(count))) {
        firings.push_back(show_firing(at, wanted.zone, before));
        before = at;
    }
    nlohmann::json answer{{"description", schedule::describe(wanted)},
                          {"next", std::move(firings)},
                          {"notes", show_notes(wanted, now, now)}};
    if (wanted.rules.hash_seed)
        answer["hash_seed"] = *wanted.rules.hash_seed;
    return answer;
}

awaitable<http::response> explain(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const document = read_body(message);
    try {
        co_return http::json_response(200, explain_expression(document, site.deps.time.utc()));
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
