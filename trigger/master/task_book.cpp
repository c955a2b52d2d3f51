#include "trigger/master/task_book.hpp"

#include "libs/base/error.hpp"

namespace baton::trigger {

std::shared_ptr<known_task const> task_book::get(task_id id, int version, std::string const& definition,
                                                 std::optional<utc_time> created_at)
{
    auto const found = tasks_.find(id);
    if (found != tasks_.end() && found->second->version == version && (found->second->timetable || !created_at))
        return found->second;
    auto task = std::make_shared<known_task>();
    task->id = id;
    task->version = version;
    auto const document = nlohmann::json::parse(definition, nullptr, false);
    if (document.is_discarded())
        throw invalid_input("", "the stored definition of task " + to_string(id) + " is not JSON");
    task->definition = protocol::parse_task(document);
    if (created_at)
        task->timetable.emplace(task->definition.schedule, *created_at);
    if (tasks_.size() >= limit_)
        std::erase_if(tasks_, [](auto const& entry) { return entry.second.use_count() == 1; });
    tasks_[id] = task;
    return task;
}

} // namespace baton::trigger
