#include "libs/base/log.hpp"
#include "libs/protocol/strict.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/fingerprint.hpp"
#include "web/next_firing.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/served.hpp"
#include "web/view.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr std::size_t longest_key = 128;

awaitable<http::response> enable(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const from = site.deps.time.utc() + site.settings.edit_lead;
    std::function<protocol::task_definition(storage::task_record const&)> const change =
        [from](storage::task_record const& before) {
            auto after = before.definition;
            after.enabled = true;
            if (!before.definition.enabled) // an enabled one may have fired for the last time
                check_future(after, before.created_at, std::max(from, before.line.value_or(from)));
            return after;
        };
    co_return co_await edit_task(site, message, storage::edit_action::enabled, change);
}

awaitable<http::response> disable(context& site, http::request const& message)
{
    expect_no_query(message);
    std::function<protocol::task_definition(storage::task_record const&)> const change =
        [](storage::task_record const& before) {
            auto after = before.definition;
            after.enabled = false;
            return after;
        };
    co_return co_await edit_task(site, message, storage::edit_action::disabled, change);
}

std::optional<std::string> idempotency_key(http::request const& message)
{
    auto const key = message.headers.find("Idempotency-Key");
    auto const is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (key && (key->empty() || key->size() > longest_key || !std::ranges::all_of(*key, is_printable)))
        throw invalid_input("Idempotency-Key", "Idempotency-Key must be 1 to 128 printable ASCII characters");
    return key;
}

// Reads the payload of this run, if the request gives one instead of the task's own, and whether it is forced.
void read_run(http::request const& message, storage::run_request& wanted)
{
    if (message.body.empty())
        return;
    auto const document = read_body(message);
    as_document([&] {
        protocol::strict_object object(document, "", R"({"payload": {"day": "today"}})");
        if (auto const payload = protocol::read_payload(object))
            wanted.payload = std::string(payload->view());
        wanted.force = object.flag("force", false);
        object.finish();
        return true;
    });
}

// The concurrency key of the task must name something in it.
void check_payload(protocol::task_definition const& task, std::optional<std::string> const& given)
{
    as_document([&] {
        protocol::check_key(task.concurrency, given ? protocol::json_text::checked(*given) : task.payload);
        return true;
    });
}

http::response answer_run(storage::run_result const& done, bool notified)
{
    switch (done.outcome) {
    case storage::run_outcome::not_found:
        throw refused(404, "there is no task of this id", "id");
    case storage::run_outcome::key_reused:
        throw refused(422, "this key was used within the last day for another request", "Idempotency-Key");
    case storage::run_outcome::created:
    case storage::run_outcome::repeated:
        break;
    }
    bool const repeated = done.outcome == storage::run_outcome::repeated;
    auto answer = http::json_response(
        repeated ? 200 : 202,
        {{"execution", to_string(done.execution)}, {"repeated", repeated}, {"master_notified", notified}});
    answer.headers.set("Location", "/api/v1/executions/" + to_string(done.execution));
    return answer;
}

awaitable<http::response> run(context& site, http::request const& message)
{
    query_parameters asked(message);
    bool const unchecked = asked.flag("allow_unserved").value_or(false);
    asked.finish();
    storage::run_request wanted;
    wanted.task = path_id<task_id>(message);
    read_run(message, wanted);
    wanted.idempotency_key = idempotency_key(message);
    wanted.fingerprint =
        fingerprint(to_string(wanted.task) + (wanted.force ? " forced\n" : "\n") + wanted.payload.value_or("none"));
    auto const task = co_await site.tasks.find(wanted.task);
    if (!task)
        expect_done(storage::edit_outcome::not_found);
    if (!unchecked) {
        auto const live = co_await site.clients.served(protocol::key_of(protocol::service_of(task->definition)));
        require_served(live, task->definition.handler, 409);
    }
    check_payload(task->definition, wanted.payload);
    auto const done = co_await site.executions.run_now(wanted, site.ids);
    bool notified = false;
    if (done.outcome == storage::run_outcome::created)
        notified = co_await site.master.notify(protocol::signal_kind::run, done.signal, done.execution.value());
    if (wanted.force && done.outcome == storage::run_outcome::created)
        log::info("web", "a task is run by force",
                  {{"task", wanted.task.value()}, {"execution", done.execution.value()}});
    co_return answer_run(done, notified);
}

awaitable<http::response> next(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const count = static_cast<std::size_t>(asked.number("count", 10, 1, 1'000));
    asked.finish();
    auto const id = path_id<task_id>(message);
    auto const task = co_await site.tasks.find(id);
    if (!task)
        expect_done(storage::edit_outcome::not_found);
    auto const now = site.deps.time.utc();
    auto firings = nlohmann::json::array();
    auto before = now;
    for (auto const at : next_firings(*task, governed_from(*task, now, site.settings.edit_lead), count)) {
        auto firing = show_firing(at, task->definition.schedule.zone, before);
        firing["planned"] = task->definition.enabled && (!task->next_fire_at || at < *task->next_fire_at);
        firings.push_back(std::move(firing));
        before = at;
    }
    co_return http::json_response(
        200, {{"task", to_string(id)}, {"enabled", task->definition.enabled}, {"next", std::move(firings)}});
}

} // namespace

void serve_task_actions(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/tasks/{id}/enable", enable);
    serve(table, site, http::verb::post, "/api/v1/tasks/{id}/disable", disable);
    serve(table, site, http::verb::post, "/api/v1/tasks/{id}/run", run);
    serve(table, site, http::verb::get, "/api/v1/tasks/{id}/next", next);
}

} // namespace baton::web
