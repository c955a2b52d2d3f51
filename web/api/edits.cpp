#include "web/api/edits.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/new_task.hpp"
#include "libs/protocol/policy_notes.hpp"
#include "libs/schedule/clock_notes.hpp"
#include "libs/schedule/schedule.hpp"
#include "web/next_firing.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"

namespace baton::web {

void check_future(protocol::task_definition const& definition, utc_time created_at, utc_time from)
{
    auto const first = as_document([&] {
        schedule::check_schedule(definition.schedule);
        return schedule::timetable(definition.schedule, created_at).first(from);
    });
    using enum protocol::schedule_kind;
    if (!first && definition.schedule.kind != api && definition.schedule.kind != after)
        as_document([&] { throw protocol::no_firing_ahead(definition.schedule); });
}

void expect_done(storage::edit_outcome outcome, std::string const& name)
{
    switch (outcome) {
    case storage::edit_outcome::done:
        return;
    case storage::edit_outcome::not_found:
        throw refused(404, "there is no task of this id", "id");
    case storage::edit_outcome::stale_version:
        throw refused(412, "the task was changed since the version in If-Match; read it again", "If-Match");
    case storage::edit_outcome::name_taken:
        throw refused(409, "name: the project has another task named " + in_quotes(name), "name");
    }
}

nlohmann::json show_notes(protocol::schedule_spec const& spec, utc_time created_at, utc_time now)
{
    auto notes = nlohmann::json::array();
    try {
        for (auto const& note : schedule::clock_notes(spec, created_at, now))
            notes.push_back(
                {{"at", to_rfc3339(note.at)}, {"kind", protocol::to_string(note.kind)}, {"text", note.text}});
    } catch (invalid_input const&) { // a zone that this machine does not know, of a task that another one registered
    }
    return notes;
}

nlohmann::json show_notes(storage::task_record const& task, utc_time now)
{
    auto notes = show_notes(task.definition.schedule, task.created_at, now);
    for (auto const& note : protocol::policy_notes(task.definition))
        notes.push_back({{"kind", "policy"}, {"field", note.field}, {"text", note.text}});
    return notes;
}

awaitable<http::response> answer_edit(context& site, storage::edit_result const& done, int status,
                                      nlohmann::json const& more)
{
    bool const notified = co_await site.master.notify(protocol::signal_kind::task, done.signal, done.task.id.value());
    auto body = show(done.task, done.valid_from);
    body["valid_from"] = to_rfc3339(done.valid_from);
    body["cancelled"] = done.cancelled;
    body["master_notified"] = notified;
    body["notes"] = show_notes(done.task, site.deps.time.utc());
    body.update(more);
    auto answer = http::json_response(status, body);
    answer.headers.set("ETag", etag_of(done.task.version));
    co_return answer;
}

awaitable<http::response> answer_unchanged(context& site, storage::task_record const& task, nlohmann::json const& more)
{
    auto const present = co_await site.tasks.versions(task.id, task.version + 1, 1);
    auto body = show(task, governed_from(task, site.deps.time.utc(), site.settings.edit_lead));
    body["valid_from"] = to_rfc3339(present.empty() ? task.updated_at : present.front().valid_from);
    body["cancelled"] = 0;
    body["master_notified"] = false;
    body["notes"] = show_notes(task, site.deps.time.utc());
    body.update(more);
    auto answer = http::json_response(200, body);
    answer.headers.set("ETag", etag_of(task.version));
    co_return answer;
}

awaitable<http::response> edit_task(context& site, http::request const& message, storage::edit_action action,
                                    std::function<protocol::task_definition(storage::task_record const&)> change)
{
    auto const id = path_id<task_id>(message);
    auto const seen = seen_version(message);
    std::string name;
    std::function<protocol::task_definition(storage::task_record const&)> const named =
        [&](storage::task_record const& before) {
            auto after = change(before);
            name = after.name;
            return after;
        };
    std::optional<invalid_input> wrong;
    try {
        auto const done = co_await site.tasks.edit(id, seen, action, site.ids, named);
        expect_done(done.outcome, name);
        co_return co_await answer_edit(site, done, 200);
    } catch (invalid_input const& refusal) {
        wrong = refusal;
    }
    throw refused(422, wrong->what(), wrong->field());
}

} // namespace baton::web
