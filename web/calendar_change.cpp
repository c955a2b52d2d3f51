#include "web/calendar_change.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"
#include "web/refusal.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr int users_at_once = 500;
constexpr duration time_for_an_edit = 20ms;

// Would the task, which fires now, never fire again?
bool ends_with(storage::task_record const& task, std::string const& calendar, protocol::calendar_content const& content,
               utc_time from)
{
    if (!task.definition.enabled)
        return false;
    auto schedule = task.definition.schedule;
    auto const use = std::ranges::find(schedule.calendars, calendar, &protocol::calendar_use::name);
    if (use == schedule.calendars.end())
        return false;
    use->content = content;
    bool const fires = schedule::timetable(task.definition.schedule, task.created_at).first(from).has_value();
    return fires && !schedule::timetable(schedule, task.created_at).first(from);
}

protocol::task_definition as_it_is(storage::task_record const& task)
{
    return task.definition; // the storage takes the new content
}

// Edits one task. False if it stays behind.
awaitable<bool> edit_one(context& site, storage::calendar_user const& user, calendar_change& change)
{
    std::function<protocol::task_definition(storage::task_record const&)> const same = as_it_is;
    try {
        auto const done = co_await site.tasks.edit(user.id, std::nullopt, storage::edit_action::edited, site.ids, same,
                                                   change.valid_from);
        change.valid_from = std::max(change.valid_from, done.valid_from);
        change.edited += done.outcome == storage::edit_outcome::done ? 1 : 0;
        co_return true;
    } catch (invalid_input const& wrong) { // another of its calendars has changed, or its zone is unknown here
        log::warn("calendars", "a task could not follow the change of its calendar, it keeps the old content",
                  {log::reason(wrong.what()), {"task", user.id.value()}});
    }
    co_return false;
}

} // namespace

awaitable<void> check_users(context& site, storage::calendar_record const& calendar,
                            protocol::calendar_content const& content)
{
    int count = 0;
    task_id after;
    auto const from = site.deps.time.utc();
    for (;;) {
        auto const users = co_await site.calendars.users(calendar.id, std::nullopt, after, users_at_once);
        if (users.empty())
            co_return;
        count += static_cast<int>(users.size());
        if (count > most_users)
            throw refused(409, "more than " + std::to_string(most_users) +
                                   " tasks use this calendar; give some of them a calendar of their own");
        for (auto const& user : users) {
            auto const task = co_await site.tasks.find(user.id);
            if (task && ends_with(*task, calendar.definition.name, content, from))
                throw refused(422, "with these days the task " + in_quotes(user.name) + " would never fire again");
        }
        after = users.back().id;
    }
}

awaitable<calendar_change> follow_change(context& site, storage::calendar_record const& calendar)
{
    std::vector<storage::calendar_user> all;
    task_id after;
    for (;;) {
        auto const some = co_await site.calendars.users(calendar.id, calendar.version, after, users_at_once);
        if (some.empty())
            break;
        all.insert(all.end(), some.begin(), some.end());
        after = all.back().id;
    }
    calendar_change change;
    // Ahead of the last edit, so that all of them can draw the same line.
    auto const ahead = 2 * site.settings.edit_lead + time_for_an_edit * static_cast<std::int64_t>(all.size());
    change.valid_from = site.deps.time.utc() + ahead;
    for (auto const& user : all) {
        bool const follows = co_await edit_one(site, user, change);
        if (!follows)
            change.left_behind.push_back(user.name);
    }
    co_return change;
}

} // namespace baton::web
