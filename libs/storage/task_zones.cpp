#include "libs/storage/task_zones.hpp"

namespace baton::storage {

using protocol::schedule_kind;

std::set<std::string> zones_of(protocol::task_definition const& definition)
{
    auto const& schedule = definition.schedule;
    std::set<std::string> found;
    if (schedule.kind == schedule_kind::cron || schedule.kind == schedule_kind::window ||
        schedule.kind == schedule_kind::calendar)
        found.insert(schedule.zone);
    for (auto const& use : schedule.calendars)
        found.insert(use.content.zone);
    found.erase("UTC");
    found.erase("");
    return found;
}

void write_zones(soci::session& sql, protocol::namespace_id name_space, task_id task,
                 protocol::task_definition const* before, protocol::task_definition const* after, int version)
{
    if (before != nullptr && !zones_of(*before).empty())
        statement(sql, "DELETE FROM task_zone WHERE task_id = ", task).execute();
    if (after == nullptr)
        return;
    for (auto const& zone : zones_of(*after))
        statement(sql, "INSERT INTO task_zone (task_id, namespace, zone, version) VALUES (", task, ", ", name_space,
                  ", ", zone, ", ", version, ")")
            .execute();
}

} // namespace baton::storage
