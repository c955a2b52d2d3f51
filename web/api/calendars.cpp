#include "libs/base/characters.hpp"
#include "libs/schedule/icalendar.hpp"
#include "libs/schedule/time_zone.hpp"
#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/calendar_change.hpp"
#include "web/cursor.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"

namespace baton::web {

namespace {

using nlohmann::json;
using storage::calendar_outcome;

constexpr int users_shown = 100;

json show_calendar(storage::calendar_record const& calendar)
{
    auto value = protocol::to_json(calendar.definition);
    value["id"] = to_string(calendar.id);
    value["version"] = calendar.version;
    value["created_at"] = to_rfc3339(calendar.created_at);
    value["updated_at"] = to_rfc3339(calendar.updated_at);
    return value;
}

json show_calendar(storage::calendar_version_record const& version)
{
    return {{"version", version.version},
            {"created_at", to_rfc3339(version.created_at)},
            {"definition", protocol::to_json(version.definition)}};
}

json show_users(std::vector<storage::calendar_user> const& users)
{
    auto list = json::array();
    for (auto const& user : users)
        list.push_back({{"task", to_string(user.id)}, {"name", user.name}, {"calendar_version", user.version}});
    return list;
}

void expect_calendar_done(calendar_outcome outcome, std::vector<storage::calendar_user> const& users = {})
{
    std::string names;
    switch (outcome) {
    case calendar_outcome::done:
        return;
    case calendar_outcome::not_found:
        throw refused(404, "there is no calendar of this id", "id");
    case calendar_outcome::stale_version:
        throw refused(412, "the calendar was changed since the version in If-Match; read it again", "If-Match");
    case calendar_outcome::in_use:
        for (auto const& user : users)
            names += (names.empty() ? "" : ", ") + in_quotes(user.name);
        throw refused(409, "tasks use this calendar: " + names + "; take it out of them first");
    }
}

std::string take_text(json& document)
{
    auto const text = document.find("icalendar");
    if (!text->is_string())
        throw invalid_input("icalendar", "icalendar must be the text of an iCalendar file");
    auto taken = text->get<std::string>();
    document.erase("icalendar");
    return taken;
}

awaitable<std::vector<protocol::date_span>> read_days(std::string text, utc_time now)
{
    co_return schedule::whole_days(text, now);
}

// Adds the days of the member `icalendar`, if there is one, to `dates`. A rule that matches no day takes half a second
// to follow, so another thread reads the file.
awaitable<void> take_icalendar(context& site, json& document)
{
    if (!document.contains("icalendar"))
        co_return;
    auto const now = site.deps.time.utc();
    protocol::calendar_content imported;
    imported.dates =
        co_await asio::co_spawn(site.file_reader.executor(), read_days(take_text(document), now), asio::use_awaitable);
    auto const dates = protocol::to_json(imported)["dates"];
    auto& all = document["dates"];
    if (all.is_null())
        all = json::array();
    if (all.is_array())
        all.insert(all.end(), dates.begin(), dates.end());
}

protocol::calendar_definition parse_calendar(json const& document)
{
    auto calendar = protocol::parse_calendar_definition(document);
    if (!schedule::zone_exists(calendar.content.zone))
        throw invalid_input("zone", "there is no time zone " + in_quotes(calendar.content.zone) +
                                        "; write for example Europe/Berlin");
    return calendar;
}

// The body, in which `icalendar` adds to `dates`. An answer can be changed and sent back to replace the calendar.
awaitable<protocol::calendar_definition> definition_in(context& site, http::request const& message, bool replaces)
{
    auto document = read_body(message);
    try {
        if (document.is_object() && replaces)
            for (auto const* name :
                 {"id", "version", "created_at", "updated_at", "used_by", "valid_from", "edited", "left_behind"})
                document.erase(name);
        if (document.is_object())
            co_await take_icalendar(site, document);
        co_return parse_calendar(document);
    } catch (invalid_input const& wrong) {
        throw refused(422, wrong.what(), wrong.field());
    }
}

awaitable<http::response> create_calendar(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const definition = co_await definition_in(site, message, false);
    auto const made = co_await site.calendars.create(site.ids.make<calendar_id>(), definition);
    auto answer = http::json_response(201, show_calendar(made));
    answer.headers.set("ETag", etag_of(made.version));
    answer.headers.set("Location", "/api/v1/calendars/" + to_string(made.id));
    co_return answer;
}

awaitable<http::response> list_calendars(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const project = asked.text("project");
    auto const name = asked.text("name");
    calendar_id after;
    if (auto const place = read_cursor(asked, list_of::calendars))
        after = calendar_id{place->front()};
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.calendars.list(project, name, after, size.rows());
    auto const cursor = [](storage::calendar_record const& last) {
        return write_cursor(list_of::calendars, {last.id.value()});
    };
    auto const shown = [](storage::calendar_record const& calendar) { return show_calendar(calendar); };
    co_return http::json_response(200, show_page(found, size, cursor, shown));
}

awaitable<http::response> read_calendar(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<calendar_id>(message);
    auto const calendar = co_await site.calendars.find(id);
    if (!calendar)
        expect_calendar_done(calendar_outcome::not_found);
    auto body = show_calendar(*calendar);
    auto const users = co_await site.calendars.users(id, std::nullopt, {}, users_shown);
    body["used_by"] = show_users(users);
    auto answer = http::json_response(200, body);
    answer.headers.set("ETag", etag_of(calendar->version));
    co_return answer;
}

awaitable<http::response> list_calendar_versions(context& site, http::request const& message)
{
    auto const id = path_id<calendar_id>(message);
    query_parameters asked(message);
    std::optional<int> before;
    if (auto const place = read_cursor(asked, list_of::calendar_versions))
        before = static_cast<int>(std::min<std::int64_t>(place->at(0), std::numeric_limits<int>::max()));
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.calendars.versions(id, before, size.rows());
    if (found.empty() && !before)
        expect_calendar_done(calendar_outcome::not_found);
    auto const cursor = [](storage::calendar_version_record const& last) {
        return write_cursor(list_of::calendar_versions, {last.version});
    };
    auto const shown = [](storage::calendar_version_record const& version) { return show_calendar(version); };
    co_return http::json_response(200, show_page(found, size, cursor, shown));
}

awaitable<http::response> replace_calendar(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<calendar_id>(message);
    auto const seen = seen_version(message);
    auto const definition = co_await definition_in(site, message, true);
    auto const present = co_await site.calendars.find(id);
    if (!present)
        expect_calendar_done(calendar_outcome::not_found);
    if (definition.project != present->definition.project || definition.name != present->definition.name)
        throw refused(422, "a calendar keeps its project and name; make another one", "name");
    co_await check_users(site, *present, definition.content);
    auto const done = co_await site.calendars.replace(id, seen, definition);
    expect_calendar_done(done.outcome);
    auto const change = co_await follow_change(site, done.calendar);
    auto body = show_calendar(done.calendar);
    body["valid_from"] = to_rfc3339(change.valid_from);
    body["edited"] = change.edited;
    body["left_behind"] = change.left_behind;
    auto answer = http::json_response(200, body);
    answer.headers.set("ETag", etag_of(done.calendar.version));
    co_return answer;
}

awaitable<http::response> remove_calendar(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const id = path_id<calendar_id>(message);
    auto const seen = seen_version(message);
    auto const done = co_await site.calendars.remove(id, seen);
    expect_calendar_done(done.outcome, done.users);
    co_return http::json_response(200, {{"id", to_string(id)}});
}

} // namespace

void serve_calendars(http::router& table, context& site)
{
    serve(table, site, http::verb::post, "/api/v1/calendars", create_calendar);
    serve(table, site, http::verb::get, "/api/v1/calendars", list_calendars);
    serve(table, site, http::verb::get, "/api/v1/calendars/{id}", read_calendar);
    serve(table, site, http::verb::get, "/api/v1/calendars/{id}/versions", list_calendar_versions);
    serve(table, site, http::verb::put, "/api/v1/calendars/{id}", replace_calendar);
    serve(table, site, http::verb::del, "/api/v1/calendars/{id}", remove_calendar);
}

} // namespace baton::web
