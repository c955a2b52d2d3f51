// A schedule before it is saved: the same checks as a save's, and the firings that it would have.

#include "libs/protocol/new_task.hpp"
#include "libs/protocol/schedule_spec.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/schedule/cron_hash.hpp"
#include "libs/schedule/preview.hpp"
#include "libs/schedule/schedule.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/once_after.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/task_defaults.hpp"
#include "web/view.hpp"

#include <limits>

namespace baton::web {

namespace {

struct preview_request {
    protocol::task_definition task; // of which only project, name, service and schedule are given
    std::optional<task_id> edited;  // the task that the schedule would be saved to
    std::size_t count = 10;
};

// As the names of a definition, but none of them is required.
std::string read_name(protocol::strict_object& object, char const* field, std::size_t longest, std::string otherwise)
{
    if (object.find(field) == nullptr)
        return otherwise;
    auto name = object.need_text(field, longest);
    protocol::check_name(name, field);
    return name;
}

preview_request read_request(nlohmann::json const& document, task_defaults const& defaults, utc_time now)
{
    auto const filled = defaults.fill(once_after(document, now));
    preview_request wanted;
    protocol::strict_object object(document, "", R"({"schedule": {"kind": "cron", "cron": "0 2 * * 1-5"}})");
    auto& task = wanted.task;
    task.project = read_name(object, "project", protocol::longest_project, task.project);
    task.name = read_name(object, "name", 190, {});
    task.service = read_name(object, "service", 100, {});
    if (object.find("task") != nullptr)
        wanted.edited = task_id{query_parameters::parse_number(object.need_text("task", 20), "task")};
    wanted.count = static_cast<std::size_t>(object.number("count", 10, 1, 100));
    object.need("schedule");
    object.finish();
    try {
        task.schedule = protocol::parse_schedule(filled.document.at("schedule"));
        protocol::check_new_names(task);
        protocol::check_new_calendars(task.schedule.calendars);
        protocol::check_no_skips(task.schedule.skips);
    } catch (invalid_input const& wrong) {
        throw explained(wrong, filled.origins, named_service(document));
    }
    return wanted;
}

awaitable<std::optional<storage::task_record>> find_edited(context& site, preview_request const& wanted)
{
    if (!wanted.edited)
        co_return std::nullopt;
    auto task = co_await site.tasks.find(*wanted.edited);
    if (!task)
        throw refused(422, "there is no task of this id", "task");
    co_return task;
}

// The seeds and skips that a save would leave in the schedule. Without a name there is none to draw seeds from.
void complete(protocol::task_definition& task, std::optional<storage::task_record> const& before)
{
    auto const* const old = before ? &before->definition.schedule : nullptr;
    if (old != nullptr || !task.name.empty())
        schedule::complete_schedule(task, old);
    if (old != nullptr && protocol::has_known_firings(task.schedule.kind))
        task.schedule.skips = old->skips;
}

std::int64_t firings_left(protocol::schedule_spec const& spec, std::optional<storage::task_record> const& before)
{
    if (spec.firing.max_firings == 0)
        return std::numeric_limits<std::int64_t>::max();
    bool const goes_on = before && before->definition.schedule.firing.max_firings != 0;
    return spec.firing.max_firings - (goes_on ? before->firings : 0);
}

struct preview_work {
    protocol::schedule_spec spec;
    utc_time created_at;
    schedule::preview_bounds bounds;
    bool keeps_schedule = false; // the task has this schedule already
};

// An edit that leaves the schedule as it is checks it no more than a save does.
bool keeps_schedule(protocol::task_definition const& wanted, std::optional<storage::task_record> const& before)
{
    if (!before)
        return false;
    auto after = before->definition;
    after.schedule = wanted.schedule;
    return protocol::to_json(after)["schedule"] == protocol::to_json(before->definition)["schedule"];
}

// In pieces, between which the thread serves other previews.
awaitable<schedule::schedule_preview> compute(preview_work work)
{
    schedule::preview_search search(work.spec, work.created_at, work.bounds);
    while (search.advance())
        co_await asio::post(asio::use_awaitable);
    co_return search.take();
}

nlohmann::json show_left_out(schedule::left_out const& times, std::string const& zone)
{
    if (times.count == 0)
        return nullptr;
    return {{"count", times.count},
            {"more", times.more},
            {"first", show_firing(times.first, zone, times.first).at("local")},
            {"calendars", times.calendars}};
}

nlohmann::json show_firings(schedule::schedule_preview const& found, std::string const& zone, utc_time before)
{
    auto all = nlohmann::json::array();
    for (auto const& each : found.firings) {
        auto firing = show_firing(each.at, zone, before);
        firing["due_at"] = or_null(each.due_at, to_rfc3339);
        firing["clock"] = or_null(each.clock, [](auto effect) { return protocol::to_string(effect); });
        firing["left_out"] = show_left_out(each.before, zone);
        all.push_back(std::move(firing));
        before = each.at;
    }
    return all;
}

nlohmann::json show_preview(schedule::schedule_preview const& found, preview_work const& work, utc_time now)
{
    auto const& spec = work.spec;
    nlohmann::json answer{{"description", schedule::describe(spec)},
                          {"zone", spec.zone},
                          {"next", show_firings(found, spec.zone, now)},
                          {"end", protocol::to_string(found.end)},
                          {"notes", show_notes(spec, work.created_at, now)},
                          {"unplanned", nullptr},
                          {"note", nullptr}};
    if (found.never && work.keeps_schedule)
        answer["note"] =
            "the schedule has no further firing; an edit that leaves it as it is is accepted all the same, "
            "but a task that is off cannot be switched on with it";
    if (found.unplanned)
        answer["unplanned"] = {{"why", protocol::to_string(*found.unplanned)},
                               {"text", schedule::explain(*found.unplanned, spec)}};
    if (spec.rules.hash_seed)
        answer["hash_seed"] = *spec.rules.hash_seed;
    if (spec.firing.jitter_seed)
        answer["jitter_seed"] = *spec.firing.jitter_seed;
    return answer;
}

// The schedule with its calendars, as the save would check it. A calendar that does not exist is about the meaning of
// the document.
awaitable<protocol::schedule_spec> checked_schedule(context& site, protocol::task_definition const& task,
                                                    preview_work const& work)
{
    if (!work.keeps_schedule)
        check_future(task, work.created_at, work.bounds.from);
    std::optional<invalid_input> wrong;
    try {
        co_return co_await site.calendars.with_contents(task.project, task.schedule);
    } catch (invalid_input const& refusal) {
        wrong = refusal;
    }
    throw refused(422, wrong->what(), wrong->field());
}

awaitable<schedule::schedule_preview> computed(context& site, preview_work const& work)
{
    std::optional<invalid_input> wrong;
    try {
        auto found = co_await asio::co_spawn(site.previewer.executor(), compute(work), asio::use_awaitable);
        if (found.never && !work.keeps_schedule && !work.spec.calendars.empty())
            protocol::refuse_never_firing();
        co_return found;
    } catch (invalid_input const& refusal) {
        wrong = refusal;
    }
    throw refused(422, wrong->what(), wrong->field());
}

awaitable<http::response> preview_of(context& site, nlohmann::json const& document)
{
    auto const now = site.deps.time.utc();
    auto const service = named_service(document);
    auto const settings = co_await site.services.settings_for(service);
    task_defaults const defaults(settings);
    auto wanted = as_document([&] { return read_request(document, defaults, now); });
    auto const before = co_await find_edited(site, wanted);
    complete(wanted.task, before);
    preview_work work;
    work.created_at = before ? before->created_at : now;
    work.bounds.from = now + site.settings.edit_lead;
    work.bounds.count = wanted.count;
    work.keeps_schedule = keeps_schedule(wanted.task, before);
    work.spec = co_await checked_schedule(site, wanted.task, work);
    work.bounds.left = firings_left(work.spec, before);
    auto const found = co_await computed(site, work);
    co_return http::json_response(200, show_preview(found, work, now));
}

awaitable<http::response> preview(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const document = read_body(message);
    try {
        co_return co_await preview_of(site, document);
    } catch (refused const& refusal) {
        throw as_written(document, refusal, site.settings.edit_lead);
    }
}

} // namespace

void serve_schedules(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/schedules/preview", preview);
}

} // namespace baton::web
