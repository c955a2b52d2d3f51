#pragma once
// The earlier executions of a task, for the context of its handler.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/outcome.hpp"

#include <optional>

namespace baton::storage {

struct past_question {
    task_id task;
    utc_time before; // scheduled earlier than this
};

struct past_execution {
    execution_id execution;
    utc_time scheduled_at;
    protocol::state state = protocol::state::planned;
    std::optional<utc_time> ended_at;
};

struct past_executions {
    std::optional<past_execution> previous; // skipped ones and those that were cancelled before their start left out
    std::optional<past_execution> last_success;
};

inline constexpr int past_looked_at = 1'000; // executions of a task that are looked at, shards included

} // namespace baton::storage
