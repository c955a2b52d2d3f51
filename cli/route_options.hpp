#pragma once
// The options of a task's routing.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

struct route_options {
    std::string routing;
    std::string tag;
    std::string key;
    std::string instance;
    int shards = 0; // 0: not given
    std::string ends;
};

// `into` must outlive the command.
void add_route_options(CLI::App& command, route_options& into);

// Sets the members "routing" and "route" of the task's document as the options say. Throws CLI::ValidationError.
void write_route(nlohmann::json& task, route_options const& chosen);

} // namespace baton::cli
