#include "libs/base/log.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/schedule/skips.hpp"
#include "web/api/api.hpp"
#include "web/api/edits.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"

namespace baton::web {

namespace {

using storage::task_record;

// Thrown inside the edit's transaction, which then writes nothing: the firings are skipped already.
struct already_skipped {
    task_record task;
};

utc_time moment_in(protocol::strict_object& object, char const* key)
{
    auto const text = object.need_text(key, 40);
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        throw invalid_input(key, std::string(key) + " must be a time such as 2026-03-29T01:30:00Z");
    }
}

schedule::skip_request wanted_skip(http::request const& message)
{
    schedule::skip_request wanted;
    if (message.body.empty())
        return wanted;
    auto const document = read_body(message);
    return as_document([&] {
        protocol::strict_object object(document, "", R"({"count": 3})");
        wanted.count = static_cast<int>(object.number("count", 1, 1, protocol::most_skips));
        if (object.find("expected") != nullptr)
            wanted.expected = moment_in(object, "expected");
        wanted.by = without_nul(object.text("by", {}, protocol::longest_skip_author), "by");
        wanted.reason = without_nul(object.text("reason", {}, protocol::longest_skip_reason), "reason");
        object.finish();
        return wanted;
    });
}

nlohmann::json moments(std::vector<utc_time> const& all)
{
    auto list = nlohmann::json::array();
    for (auto const at : all)
        list.push_back(to_rfc3339(at));
    return list;
}

using rule = std::function<schedule::skip_ruling(task_record const&)>;

// The edit that gives the task the skips of the ruling, which `ruling` holds afterwards.
awaitable<storage::edit_result> edit_skips(context& site, http::request const& message, storage::edit_action action,
                                           rule const& decide, schedule::skip_ruling& ruling)
{
    std::function<protocol::task_definition(task_record const&)> const change = [&](task_record const& before) {
        ruling = as_document([&] { return decide(before); });
        if (!ruling.refusal.empty())
            throw refused(409, ruling.refusal);
        if (!ruling.changed)
            throw already_skipped{before};
        auto after = before.definition;
        after.schedule.skips = ruling.skips;
        return after;
    };
    auto const done =
        co_await site.tasks.edit(path_id<task_id>(message), seen_version(message), action, site.ids, change);
    expect_done(done.outcome);
    co_return done;
}

awaitable<http::response> skip_next(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const wanted = wanted_skip(message);
    auto const now = site.deps.time.utc();
    rule const decide = [&](task_record const& task) {
        return schedule::skip_next(task.definition, task.created_at, wanted, task.line.value_or(now), now);
    };
    schedule::skip_ruling ruling;
    std::optional<task_record> same;
    try {
        auto const done = co_await edit_skips(site, message, storage::edit_action::skip_next, decide, ruling);
        log::info("web", "the next firings of a task are skipped on request",
                  {{"task", done.task.id.value()}, {"firings", ruling.firings.size()}, {"by", wanted.by}});
        nlohmann::json const more{{"skipped", moments(ruling.firings)}};
        co_return co_await answer_edit(site, done, 200, more);
    } catch (already_skipped const& found) {
        same = found.task;
    }
    nlohmann::json const more{{"skipped", moments(ruling.firings)}};
    co_return co_await answer_unchanged(site, *same, more);
}

awaitable<http::response> undo_skips(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const expected = asked.moment("expected");
    asked.finish();
    auto const now = site.deps.time.utc();
    rule const decide = [&](task_record const& task) {
        return schedule::undo_skips(task.definition, task.created_at, expected, task.line.value_or(now));
    };
    schedule::skip_ruling ruling;
    auto const done = co_await edit_skips(site, message, storage::edit_action::undo_skip, decide, ruling);
    nlohmann::json const more{{"restored", moments(ruling.firings)}};
    co_return co_await answer_edit(site, done, 200, more);
}

} // namespace

void serve_skip_next(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/tasks/{id}/skip-next", skip_next);
    serve(table, site, http::verb::del, "/api/v1/tasks/{id}/skip-next", undo_skips);
}

} // namespace baton::web
