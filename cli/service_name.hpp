#pragma once

#include "libs/protocol/service_key.hpp"

#include <string>

namespace baton::cli {

// The service that a command names: "billing", or "shop/billing" with its project, as messages name it. `project` is
// that of the option --project; empty without it. Throws CLI::ValidationError if the text is no such name, or if both
// name a project and not the same.
protocol::service_key service_named(std::string const& text, std::string const& project);

// The same for a command whose option --project has the default project: parts "shop/billing" into both.
void part_service(std::string& service, std::string& project);

} // namespace baton::cli
