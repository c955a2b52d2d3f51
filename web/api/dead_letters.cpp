#include "libs/base/characters.hpp"
#include "libs/protocol/strict.hpp"
#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/cursor.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"

#include <algorithm>

namespace baton::web {

namespace {

std::string cursor_of(storage::execution_place const& last)
{
    return write_cursor(list_of::dead_letters, {to_micros(last.at), last.id.value()});
}

storage::dead_letter_filter read_filter(query_parameters& asked)
{
    storage::dead_letter_filter filter;
    filter.task = asked.id<task_id>("task");
    filter.project = asked.text("project");
    filter.service = asked.text("service");
    filter.error = asked.searched("error");
    filter.broadcast = asked.id<execution_id>("broadcast");
    filter.resolution = asked.choice<protocol::resolution>("resolution").value_or(protocol::resolution::open);
    return filter;
}

awaitable<http::response> list_letters(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto filter = read_filter(asked);
    if (auto const place = read_cursor(asked, list_of::dead_letters)) {
        filter.after_at = from_micros(place->at(0));
        filter.after_id = execution_id{place->at(1)};
    }
    auto const size = read_limit(asked);
    asked.finish();
    filter.limit = size.rows();
    auto const page = co_await site.dead_letters.list(filter);
    auto shown = show_page(page.items, size, [](storage::dead_letter const& last) {
        return cursor_of({last.died_at, last.execution.id});
    });
    if (page.looked_to)
        shown["next"] = cursor_of(*page.looked_to);
    co_return http::json_response(200, shown);
}

awaitable<http::response> count_letters(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto filter = read_filter(asked);
    filter.after_at = asked.moment("before");
    asked.finish();
    auto const found = co_await site.dead_letters.count(filter);
    co_return http::json_response(200, show(found));
}

// The letters that a request is about: these, or the open ones that a filter finds.
struct chosen_letters {
    std::vector<execution_id> executions;
    std::optional<storage::dead_letter_filter> filter;
    std::optional<std::string> payload;
};

std::vector<execution_id> ids_of(std::vector<std::string> const& texts)
{
    std::vector<execution_id> ids;
    ids.reserve(texts.size());
    for (auto const& text : texts)
        ids.push_back(execution_id{query_parameters::parse_number(text, "executions")});
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

utc_time moment_of(std::string const& text)
{
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        throw invalid_input("before", "before must be a time such as 2026-03-29T01:30:00Z, not " + in_quotes(text));
    }
}

storage::dead_letter_filter filter_of(protocol::strict_object& object, utc_time now)
{
    storage::dead_letter_filter filter;
    if (object.find("task") != nullptr)
        filter.task = task_id{query_parameters::parse_number(object.need_text("task", 20), "task")};
    if (object.find("project") != nullptr)
        filter.project = without_nul(object.need_text("project", protocol::longest_project), "project");
    if (object.find("service") != nullptr)
        filter.service = without_nul(object.need_text("service", query_parameters::longest_search), "service");
    if (object.find("error") != nullptr)
        filter.error = without_nul(object.need_text("error", query_parameters::longest_search), "error");
    if (object.find("broadcast") != nullptr)
        filter.broadcast = execution_id{query_parameters::parse_number(object.need_text("broadcast", 20), "broadcast")};
    bool const has_all = object.find("all") != nullptr;
    if (has_all && !object.flag("all", true))
        throw invalid_input("all", "all must be true, or left out");
    if (!filter.task && !filter.project && !filter.service && !filter.error && !filter.broadcast && !has_all)
        throw invalid_input("executions",
                            "name the dead letters: executions, task, project, service, error, broadcast, or all");
    filter.after_at = object.find("before") == nullptr ? now : moment_of(object.need_text("before", 40));
    if (object.find("after") != nullptr) {
        auto const place = parse_cursor(object.need_text("after", 100), list_of::dead_letters);
        filter.after_at = std::min(*filter.after_at, from_micros(place.at(0)));
        filter.after_id = *filter.after_at == from_micros(place.at(0)) ? execution_id{place.at(1)} : execution_id{};
    }
    filter.limit = static_cast<int>(storage::most_letters_at_once);
    return filter;
}

chosen_letters read_choice(http::request const& message, utc_time now, bool with_payload)
{
    auto const document = read_body(message);
    return as_document([&] {
        protocol::strict_object object(document, "", R"({"executions": ["4711"]})");
        chosen_letters chosen;
        if (object.find("executions") != nullptr) {
            chosen.executions = ids_of(object.texts("executions", storage::most_letters_at_once, 20));
            object.refuse({"task", "project", "service", "error", "broadcast", "all", "before", "after"},
                          "is not for a request that names its executions: leave one of them out");
        } else
            chosen.filter = filter_of(object, now);
        if (auto const payload = with_payload ? protocol::read_payload(object) : std::nullopt)
            chosen.payload = payload->view();
        object.finish();
        return chosen;
    });
}

// Finds the letters of a filter. Returns where the search goes on; nothing if no others are to be found.
awaitable<std::optional<storage::execution_place>> find_letters(context& site, chosen_letters& chosen)
{
    if (!chosen.filter)
        co_return std::nullopt;
    auto found = co_await site.dead_letters.find(*chosen.filter);
    chosen.executions = std::move(found.executions);
    co_return found.next;
}

// How many open letters the filter finds behind that place.
awaitable<storage::bounded_count> count_rest(context& site, chosen_letters const& chosen,
                                             std::optional<storage::execution_place> next)
{
    if (!next)
        co_return storage::bounded_count{};
    auto rest = *chosen.filter;
    rest.after_at = next->at;
    rest.after_id = next->id;
    co_return co_await site.dead_letters.count(rest);
}

std::string_view outcome_name(storage::resolve_outcome outcome, protocol::resolution wanted)
{
    switch (outcome) {
    case storage::resolve_outcome::not_dead:
        return "not_dead";
    case storage::resolve_outcome::resolved:
        return "already_resolved";
    case storage::resolve_outcome::task_deleted:
        return "task_deleted";
    case storage::resolve_outcome::still_runs:
        return "still_runs";
    case storage::resolve_outcome::done:
        break;
    }
    return protocol::to_string(wanted);
}

bool resolved_now(storage::resolved_letter const& letter)
{
    return letter.outcome == storage::resolve_outcome::done;
}

nlohmann::json show_resolved(storage::resolved_letters const& done, protocol::resolution wanted)
{
    auto items = nlohmann::json::array();
    for (auto const& letter : done.letters)
        items.push_back({{"execution", to_string(letter.execution)},
                         {"outcome", outcome_name(letter.outcome, wanted)},
                         {"rerun", or_null(letter.rerun, [](execution_id id) { return to_string(id); })}});
    auto const resolved = std::ranges::count_if(done.letters, resolved_now);
    auto const all = static_cast<std::ptrdiff_t>(done.letters.size());
    return {{"items", std::move(items)}, {"done", resolved}, {"refused", all - resolved}};
}

awaitable<void> add_rest(nlohmann::json& body, context& site, chosen_letters const& chosen,
                         std::optional<storage::execution_place> next)
{
    auto const left = co_await count_rest(site, chosen, next);
    body["more"] = next.has_value();
    body["next"] = or_null(next, cursor_of);
    body["remaining"] = show(left);
}

awaitable<http::response> retry(context& site, http::request const& message)
{
    expect_no_query(message);
    auto chosen = read_choice(message, site.deps.time.utc(), true);
    auto const next = co_await find_letters(site, chosen);
    auto const done = co_await site.dead_letters.retry(chosen.executions, chosen.payload, site.ids);
    bool notified = false;
    if (done.signal)
        notified = co_await site.master.notify(protocol::signal_kind::run, *done.signal, done.signal->value());
    auto body = show_resolved(done, protocol::resolution::retried);
    co_await add_rest(body, site, chosen, next);
    body["master_notified"] = notified;
    co_return http::json_response(202, body);
}

awaitable<http::response> dismiss(context& site, http::request const& message)
{
    expect_no_query(message);
    auto chosen = read_choice(message, site.deps.time.utc(), false);
    auto const next = co_await find_letters(site, chosen);
    auto const done = co_await site.dead_letters.dismiss(chosen.executions);
    auto body = show_resolved(done, protocol::resolution::dismissed);
    co_await add_rest(body, site, chosen, next);
    co_return http::json_response(200, body);
}

} // namespace

void serve_dead_letters(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/dead-letters", list_letters);
    serve(table, site, http::verb::get, "/api/v1/dead-letters/count", count_letters);
    serve(table, site, http::verb::post, "/api/v1/dead-letters/retry", retry);
    serve(table, site, http::verb::post, "/api/v1/dead-letters/dismiss", dismiss);
}

} // namespace baton::web
