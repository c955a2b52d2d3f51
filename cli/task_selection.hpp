#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace baton::cli {

// The task that a command is for.
struct task_selection {
    std::string task;
    std::string project = "default";
};

inline std::shared_ptr<task_selection> add_task_selection(CLI::App& command)
{
    auto const which = std::make_shared<task_selection>();
    command.add_option("task", which->task, "Name of the task, or its id; name:12 and id:12 say which")->required();
    command.add_option("--project", which->project, "Project of a task that is given by name")->capture_default_str();
    return which;
}

} // namespace baton::cli
