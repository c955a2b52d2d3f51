#include "libs/storage/calendars.hpp"

#include "libs/storage/rows.hpp"
#include "libs/storage/statement.hpp"
#include "libs/storage/task_calendars.hpp"

namespace baton::storage {

namespace {

constexpr int most_named = 10; // users that a refusal names

std::string calendar_document(protocol::calendar_definition const& definition)
{
    try {
        return protocol::to_json(definition).dump();
    } catch (nlohmann::json::type_error const&) {
        throw invalid_input("", "the calendar holds text that is not valid UTF-8");
    }
}

void select_calendar(statement& ask)
{
    ask.select("id", "version", "definition", "created_at", "updated_at");
    ask(" FROM named_calendar WHERE ");
}

calendar_record read_calendar(row& cells)
{
    calendar_record record;
    record.id = cells.name<calendar_id>();
    record.version = cells.small();
    record.definition = protocol::parse_calendar_definition(nlohmann::json::parse(cells.text()));
    record.created_at = cells.moment();
    record.updated_at = cells.moment();
    return record;
}

std::optional<calendar_record> find_calendar(soci::session& sql, protocol::namespace_id name_space, calendar_id id,
                                             bool lock)
{
    std::optional<calendar_record> found;
    statement ask(sql);
    select_calendar(ask);
    ask("id = ", id, " AND namespace = ", name_space, lock ? for_update(sql) : fragment{""});
    ask.each([&](row& cells) { found = read_calendar(cells); });
    return found;
}

void insert_version(soci::session& sql, calendar_record const& calendar)
{
    statement(sql, "INSERT INTO calendar_version (calendar_id, version, definition, created_at) VALUES (", calendar.id,
              ", ", calendar.version, ", ", calendar_document(calendar.definition), ", ", calendar.updated_at, ")")
        .execute();
}

std::vector<calendar_user> read_users(soci::session& sql, calendar_id id, std::optional<int> behind, task_id after,
                                      int limit)
{
    std::vector<calendar_user> found;
    statement ask(sql);
    ask.select("t.id", "t.name", "c.version");
    ask(" FROM task_calendar c JOIN task t ON t.id = c.task_id WHERE c.calendar_id = ", id, " AND c.task_id > ", after);
    if (behind)
        ask(" AND c.version < ", *behind);
    ask(" ORDER BY c.task_id LIMIT ", limit);
    ask.each([&](row& cells) {
        auto& one = found.emplace_back();
        one.id = cells.name<task_id>();
        one.name = cells.text();
        one.version = cells.small();
    });
    return found;
}

// The calendar, locked, if it stands as the caller has seen it.
calendar_result find_to_change(soci::session& sql, protocol::namespace_id name_space, calendar_id id,
                               std::optional<int> seen)
{
    calendar_result result;
    auto const found = find_calendar(sql, name_space, id, true);
    if (!found) {
        result.outcome = calendar_outcome::not_found;
        return result;
    }
    result.calendar = *found;
    if (seen && *seen != found->version)
        result.outcome = calendar_outcome::stale_version;
    return result;
}

} // namespace

awaitable<calendar_record> calendars::create(calendar_id id, protocol::calendar_definition definition)
{
    calendar_record made;
    auto const work = [&](soci::session& sql) {
        made.id = id;
        made.definition = definition;
        made.created_at = made.updated_at = from_micros(read_now(sql));
        statement insert(sql, "INSERT INTO named_calendar (id, namespace, project, name, version, definition, "
                              "created_at, updated_at) VALUES (");
        insert(id, ", ", name_space_, ", ", definition.project, ", ", definition.name, ", ", made.version, ", ",
               calendar_document(definition), ", ", made.created_at, ", ", made.updated_at, ")");
        try {
            insert.execute();
        } catch (statement_error const& failure) {
            if (failure.why() == statement_error::kind::duplicate)
                throw already_exists("there is a calendar '" + definition.name + "' in project '" + definition.project +
                                     "' already");
            throw;
        }
        insert_version(sql, made);
    };
    co_await shared_.transact(work);
    co_return made;
}

awaitable<calendar_result> calendars::replace(calendar_id id, std::optional<int> seen,
                                              protocol::calendar_definition definition)
{
    auto const work = [&](soci::session& sql) {
        auto result = find_to_change(sql, name_space_, id, seen);
        auto& calendar = result.calendar;
        if (result.outcome != calendar_outcome::done ||
            calendar_document(definition) == calendar_document(calendar.definition))
            return result;
        calendar.definition = definition;
        calendar.updated_at = from_micros(read_now(sql));
        ++calendar.version;
        statement(sql, "UPDATE named_calendar SET version = ", calendar.version,
                  ", definition = ", calendar_document(definition), ", updated_at = ", calendar.updated_at,
                  " WHERE id = ", id)
            .execute();
        insert_version(sql, calendar);
        return result;
    };
    co_return co_await shared_.transact(work);
}

awaitable<calendar_result> calendars::remove(calendar_id id, std::optional<int> seen)
{
    auto const work = [&](soci::session& sql) {
        auto result = find_to_change(sql, name_space_, id, seen);
        if (result.outcome != calendar_outcome::done)
            return result;
        result.users = read_users(sql, id, std::nullopt, {}, most_named + 1);
        if (!result.users.empty())
            result.outcome = calendar_outcome::in_use;
        else
            statement(sql, "DELETE FROM named_calendar WHERE id = ", id).execute();
        return result;
    };
    co_return co_await shared_.transact(work);
}

awaitable<protocol::schedule_spec> calendars::with_contents(std::string project, protocol::schedule_spec schedule)
{
    if (schedule.calendars.empty())
        co_return schedule;
    auto const work = [&](soci::session& sql) {
        take_calendars(sql, name_space_, project, schedule, calendar_rows::read);
    };
    co_await shared_.run(work);
    co_return schedule;
}

awaitable<std::optional<calendar_record>> calendars::find(calendar_id id)
{
    auto const work = [&](soci::session& sql) { return find_calendar(sql, name_space_, id, false); };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<calendar_record>> calendars::list(std::optional<std::string> project,
                                                        std::optional<std::string> name, calendar_id after, int limit)
{
    std::vector<calendar_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_calendar(ask);
        ask("id > ", after, " AND namespace = ", name_space_);
        if (project)
            ask(" AND project = ", *project);
        if (name)
            ask(" AND name = ", *name);
        ask(" ORDER BY id LIMIT ", limit);
        ask.each([&](row& cells) { found.push_back(read_calendar(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<calendar_version_record>> calendars::versions(calendar_id id, std::optional<int> before,
                                                                    int limit)
{
    std::vector<calendar_version_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("version", "created_at", "definition");
        ask(" FROM calendar_version WHERE calendar_id = ", id);
        if (before)
            ask(" AND version < ", *before);
        ask(" ORDER BY version DESC LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.version = cells.small();
            one.created_at = cells.moment();
            one.definition = protocol::parse_calendar_definition(nlohmann::json::parse(cells.text()));
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<calendar_user>> calendars::users(calendar_id id, std::optional<int> behind, task_id after,
                                                       int limit)
{
    auto const work = [&](soci::session& sql) { return read_users(sql, id, behind, after, limit); };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
