#include "libs/storage/task_calendars.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <string>

namespace baton::storage {

namespace {

// False if there is no such calendar.
bool take_one(soci::session& sql, protocol::namespace_id name_space, std::string const& project,
              protocol::calendar_use& use, calendar_rows how, std::vector<calendar_link>& links)
{
    bool found = false;
    statement ask(sql);
    ask.select("id", "version", "definition");
    ask(" FROM named_calendar WHERE namespace = ", name_space, " AND project = ", project, " AND name = ", use.name);
    if (how == calendar_rows::lock)
        ask(for_update(sql));
    ask.each([&](row& cells) {
        found = true;
        auto& link = links.emplace_back();
        link.calendar = cells.name<calendar_id>();
        link.version = cells.small();
        use.version = link.version;
        use.content = protocol::parse_calendar_definition(nlohmann::json::parse(cells.text())).content;
    });
    return found;
}

} // namespace

std::vector<calendar_link> take_calendars(soci::session& sql, protocol::namespace_id name_space,
                                          std::string const& project, protocol::schedule_spec& schedule,
                                          calendar_rows how)
{
    std::vector<calendar_link> links;
    std::vector<protocol::calendar_use*> by_name; // so that two transactions lock the rows in the same order
    for (auto& use : schedule.calendars)
        by_name.push_back(&use);
    std::ranges::sort(by_name, {}, [](auto const* use) { return use->name; });
    for (auto* use : by_name)
        if (!take_one(sql, name_space, project, *use, how, links))
            throw invalid_input("schedule.calendars",
                                "project " + in_quotes(project) + " has no calendar " + in_quotes(use->name));
    return links;
}

void write_calendar_links(soci::session& sql, task_id task, std::vector<calendar_link> const& links, bool had)
{
    if (had)
        statement(sql, "DELETE FROM task_calendar WHERE task_id = ", task).execute();
    for (auto const& link : links)
        statement(sql, "INSERT INTO task_calendar (task_id, calendar_id, version) VALUES (", task, ", ", link.calendar,
                  ", ", link.version, ")")
            .execute();
}

} // namespace baton::storage
