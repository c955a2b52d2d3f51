#pragma once
// The options of the defaults that a service or project has for its tasks, and the command that applies them.

#include "cli/commands.hpp"
#include "libs/protocol/service_key.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

struct default_options {
    std::vector<std::string> given;   // "max_attempts=3"
    std::vector<std::string> removed; // "max_attempts"
};

// `into` must outlive the command.
void add_default_options(CLI::App& command, default_options& into);

// Changes the member "defaults" of the settings. Throws CLI::ValidationError.
void change_defaults(nlohmann::json& settings, default_options const& chosen);

// The patch that gives a task, as REST shows it, the present defaults for the policies that are not its own.
nlohmann::json patch_of_defaults(nlohmann::json const& task);

// An empty service: of all services of the project.
void apply_defaults(protocol::service_key const& of, bool dry_run, common_options const& common);

} // namespace baton::cli
