#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/task.hpp"
#include "libs/schedule/task_schedule.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// One version of a task, parsed once and shared by all its executions.
struct known_task {
    task_id id;
    int version = 0;
    protocol::task_definition definition;
    std::optional<schedule::firing_plan> plan; // absent where only its executions were read
};

// Parsed tasks by (id, version). Bounded: beyond `limit`, those that no execution refers to are dropped.
class task_book {
public:
    explicit task_book(std::size_t limit = 100'000) : limit_(limit) {}

    // Throws invalid_input when the stored text makes no sense to this program.
    std::shared_ptr<known_task const> get(task_id id, int version, std::string const& definition,
                                          std::optional<utc_time> created_at);

private:
    std::size_t limit_;
    std::unordered_map<task_id, std::shared_ptr<known_task const>> tasks_; // the latest version seen of each
};

} // namespace baton::trigger
