#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/task.hpp"
#include "libs/schedule/schedule.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// One version of a task, parsed once and shared by its executions.
struct known_task {
    task_id id;
    int version = 0;
    protocol::task_definition definition;
    std::optional<schedule::timetable> timetable; // absent if only executions of the task were read
};

// Parsed tasks by (id, version). Beyond `limit`, drops tasks that no execution refers to.
class task_book {
public:
    explicit task_book(std::size_t limit = 100'000) : limit_(limit) {}

    // `created_at` is absent if the caller needs no timetable. Throws invalid_input if this program cannot read the
    // stored definition.
    std::shared_ptr<known_task const> get(task_id id, int version, std::string const& definition,
                                          std::optional<utc_time> created_at);

private:
    std::size_t limit_;
    std::unordered_map<task_id, std::shared_ptr<known_task const>> tasks_; // the version read last
};

} // namespace baton::trigger
