#pragma once

#include "libs/protocol/task.hpp"

#include <compare>
#include <string>

namespace baton::protocol {

// A service belongs to a project. Quotas and queues have this key.
struct service_key {
    std::string project;
    std::string service;
    friend auto operator<=>(service_key const&, service_key const&) = default;
};

inline service_key service_of(task_definition const& task)
{
    return {task.project, task.service};
}

} // namespace baton::protocol
