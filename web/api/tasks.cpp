#include "libs/protocol/new_task.hpp"
#include "libs/schedule/schedule.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/api/listing.hpp"
#include "web/cursor.hpp"
#include "web/next_firing.hpp"
#include "web/once_after.hpp"
#include "web/pause_view.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/served.hpp"
#include "web/task_defaults.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

// The handlers of live clients, to check the named one against; nothing when the caller waives the check.
using served = std::optional<storage::clients::served_handlers>;

bool must_be_served(http::request const& message)
{
    query_parameters asked(message);
    bool const unchecked = asked.flag("allow_unserved").value_or(false);
    asked.finish();
    return !unchecked;
}

awaitable<served> served_by(context& site, protocol::service_key service, bool wanted)
{
    if (!wanted)
        co_return std::nullopt;
    co_return co_await site.clients.served(std::move(service));
}

awaitable<task_defaults> defaults_for(context& site, protocol::service_key const& service)
{
    auto const settings = co_await site.services.settings_for(service);
    co_return task_defaults(settings);
}

void check_no_origins(nlohmann::json const& document)
{
    if (document.is_object() && document.contains("origins"))
        throw invalid_input("origins", "origins is written by the server: leave it out");
}

void check_written_by_person(protocol::task_definition const& definition)
{
    protocol::check_new_names(definition);
    protocol::check_new_calendars(definition.schedule.calendars);
    protocol::check_no_skips(definition.schedule.skips);
}

// The remedy names a default that the task has taken.
void check_limits(protocol::task_definition const& definition)
{
    try {
        protocol::check_new_limits(definition);
    } catch (invalid_input const& wrong) {
        throw explained(wrong, definition.origins, protocol::key_of(protocol::service_of(definition)));
    }
}

// Policies that it does not name are those of its service or project.
protocol::task_definition read_definition(nlohmann::json const& document, utc_time now, task_defaults const& defaults)
{
    return as_document([&] {
        check_no_origins(document);
        auto const filled = defaults.fill(once_after(document, now));
        try {
            auto definition = protocol::parse_task(filled.document);
            check_written_by_person(definition);
            definition.origins = filled.origins;
            return definition;
        } catch (invalid_input const& wrong) {
            throw explained(wrong, filled.origins, named_service(document));
        }
    });
}

protocol::task_definition patched_definition(protocol::task_definition const& before, nlohmann::json const& patch,
                                             task_defaults const& defaults)
{
    return as_document([&] {
        check_no_origins(patch);
        auto const filled = defaults.fill_patch(patch, before);
        try {
            auto patched = protocol::patch_task(before, filled.document);
            check_written_by_person(patched);
            patched.origins = filled.origins;
            keep_origins(patched, before, origins_kept::built_in);
            return patched;
        } catch (invalid_input const& wrong) {
            throw explained(wrong, filled.origins, named_service(patch, &before));
        }
    });
}

// A calendar of the schedule that does not exist is about the meaning of the document.
awaitable<storage::edit_result> create_task(context& site, protocol::task_definition const& definition)
{
    std::optional<invalid_input> wrong;
    try {
        co_return co_await site.tasks.create(site.ids, definition);
    } catch (invalid_input const& refusal) {
        wrong = refusal;
    }
    throw refused(422, wrong->what(), wrong->field());
}

awaitable<http::response> create_from(context& site, nlohmann::json const& document, bool must_be_served)
{
    auto const now = site.deps.time.utc();
    auto const service = named_service(document);
    auto const defaults = co_await defaults_for(site, service);
    auto definition = read_definition(document, now, defaults);
    schedule::complete_schedule(definition);
    as_document([&] { check_limits(definition); });
    check_future(definition, now, now + site.settings.edit_lead);
    if (auto const live = co_await served_by(site, service, must_be_served))
        require_served(*live, definition.handler, 422);
    auto const done = co_await create_task(site, definition);
    expect_done(done.outcome);
    auto answer = co_await answer_edit(site, done, 201);
    answer.headers.set("Location", "/api/v1/tasks/" + to_string(done.task.id));
    co_return answer;
}

awaitable<http::response> create(context& site, http::request const& message)
{
    bool const check = must_be_served(message);
    auto const document = read_body(message);
    try {
        co_return co_await create_from(site, document, check);
    } catch (refused const& refusal) {
        throw as_written(document, refusal, site.settings.edit_lead);
    }
}

using pauses = std::vector<protocol::pause>; // in force

nlohmann::json show_now(context& site, storage::task_record const& task, pauses const& paused)
{
    auto body = show(task, governed_from(task, site.deps.time.utc(), site.settings.edit_lead));
    body["paused"] = show_pause(pause_of(paused, protocol::service_of(task.definition)));
    return body;
}

awaitable<http::response> list_tasks(context& site, http::request const& message)
{
    query_parameters asked(message);
    storage::task_filter filter;
    filter.project = asked.text("project");
    filter.service = asked.text("service");
    filter.handler = asked.text("handler");
    filter.name_contains = asked.text("name");
    filter.text = asked.searched("text");
    filter.enabled = asked.flag("enabled");
    filter.state = asked.choice<storage::task_state>("state");
    filter.kind = asked.choice<protocol::schedule_kind>("kind");
    filter.owner = asked.text("owner");
    if (auto const label = asked.text("label"))
        filter.labels = protocol::parse_label_filter(*label);
    if (auto const place = read_cursor(asked, list_of::tasks))
        filter.after = task_id{place->front()};
    auto const size = read_limit(asked);
    asked.finish();
    filter.limit = size.rows();
    auto const page = co_await site.tasks.list(filter);
    auto const paused = co_await site.services.pauses_in_force();
    auto const cursor_of = [](task_id last) { return write_cursor(list_of::tasks, {last.value()}); };
    auto const cursor = [&](storage::task_record const& last) { return cursor_of(last.id); };
    auto const show_one = [&](storage::task_record const& task) { return show_now(site, task, paused); };
    auto shown = show_page(page.items, size, cursor, show_one);
    if (page.looked_to)
        shown["next"] = cursor_of(*page.looked_to);
    co_return http::json_response(200, shown);
}

awaitable<http::response> read(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<task_id>(message);
    auto const task = co_await site.tasks.find(id);
    if (!task)
        expect_done(storage::edit_outcome::not_found);
    auto const paused = co_await site.services.pauses_in_force();
    http::response answer;
    if (knows_version(message, task->version))
        answer.status = 304;
    else
        answer = http::json_response(200, show_now(site, *task, paused));
    answer.headers.set("ETag", etag_of(task->version));
    co_return answer;
}

// Thrown inside an edit's transaction, which then writes nothing: the new definition is the present one.
struct unchanged {
    storage::task_record task;
};

// Runs on a database thread, so it uses values alone. Throws `unchanged`, except for a parked task and for one that
// finds a new parent: an edit ends that. A member that the edit leaves unchanged is not checked again: a task whose
// only firing is past, or whose clients are down, can still be given another description.
protocol::task_definition checked_change(storage::task_record const& before, protocol::task_definition after,
                                         served const& live, utc_time from)
{
    auto const& old = before.definition;
    schedule::complete_schedule(after, &old.schedule);
    protocol::keep_contents(after.schedule.calendars, old.schedule.calendars);
    if (protocol::has_known_firings(after.schedule.kind))
        after.schedule.skips = old.schedule.skips; // they name instants, whatever the schedule
    bool const switched_on = after.enabled && !old.enabled;
    if (switched_on || protocol::to_json(after)["schedule"] != protocol::to_json(old)["schedule"])
        check_future(after, before.created_at, std::max(from, before.line.value_or(from)));
    if (after.timeout != old.timeout || after.limits != old.limits)
        check_limits(after);
    bool const moves = protocol::service_of(after) != protocol::service_of(old);
    if (live && live->service == protocol::service_of(after) && (moves || after.handler != old.handler))
        require_served(*live, after.handler, 422);
    if (!before.parked && !before.finds_new_parent && protocol::to_text(after) == protocol::to_text(old))
        throw unchanged{before};
    return after;
}

awaitable<http::response> edit_definition(context& site, http::request const& message, nlohmann::json const& document,
                                          std::function<protocol::task_definition(storage::task_record const&)> change)
{
    std::optional<storage::task_record> same;
    try {
        co_return co_await edit_task(site, message, storage::edit_action::edited, change);
    } catch (unchanged const& found) {
        same = found.task;
    } catch (refused const& refusal) {
        throw as_written(document, refusal, site.settings.edit_lead);
    }
    co_return co_await answer_unchanged(site, *same);
}

awaitable<http::response> replace(context& site, http::request const& message)
{
    bool const check = must_be_served(message);
    auto document = read_body(message);
    if (document.is_object())
        for (auto const& name : read_only_members())
            document.erase(name); // so that an answer can be changed and sent back
    auto const now = site.deps.time.utc();
    auto const service = named_service(document);
    auto const defaults = co_await defaults_for(site, service);
    auto const definition = read_definition(document, now, defaults);
    auto const live = co_await served_by(site, service, check);
    auto const from = now + site.settings.edit_lead;
    std::function<protocol::task_definition(storage::task_record const&)> const change =
        [&](storage::task_record const& before) {
            auto after = definition;
            keep_origins(after, before.definition);
            return checked_change(before, std::move(after), live, from);
        };
    co_return co_await edit_definition(site, message, document, change);
}

awaitable<http::response> patch(context& site, http::request const& message)
{
    bool const check = must_be_served(message);
    auto const given = read_body(message);
    auto const now = site.deps.time.utc();
    auto const document = as_document([&] { return once_after(given, now); });
    auto const from = now + site.settings.edit_lead;
    auto const id = path_id<task_id>(message);
    auto const present = co_await site.tasks.find(id);
    if (!present)
        expect_done(storage::edit_outcome::not_found);
    auto const service = named_service(document, &present->definition);
    auto const defaults = co_await defaults_for(site, service);
    auto const live = co_await served_by(site, service, check);
    std::function<protocol::task_definition(storage::task_record const&)> const change =
        [&](storage::task_record const& before) {
            return checked_change(before, patched_definition(before.definition, document, defaults), live, from);
        };
    co_return co_await edit_definition(site, message, given, change);
}

awaitable<http::response> remove(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<task_id>(message);
    auto const seen = seen_version(message);
    auto const done = co_await site.tasks.remove(id, seen, site.ids);
    expect_done(done.outcome);
    bool const notified = co_await site.master.notify(protocol::signal_kind::task, done.signal, id.value());
    co_return http::json_response(200, {{"id", to_string(id)},
                                        {"valid_from", to_rfc3339(done.valid_from)},
                                        {"cancelled", done.cancelled},
                                        {"open", done.open},
                                        {"master_notified", notified}});
}

} // namespace

void serve_tasks(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/tasks", create);
    serve(table, site, http::verb::get, "/api/v1/tasks", list_tasks);
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}", read);
    serve(table, site, http::verb::put, "/api/v1/tasks/{id}", replace);
    serve(table, site, http::verb::patch, "/api/v1/tasks/{id}", patch);
    serve(table, site, http::verb::del, "/api/v1/tasks/{id}", remove);
}

} // namespace baton::web
