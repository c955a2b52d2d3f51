#pragma once

#include "libs/storage/clients.hpp"

#include <string>
#include <vector>

namespace baton::web {

// Refuses with `status`, naming field "service" or "handler" and what is served, unless a client that is not gone
// serves the handler.
void require_served(std::vector<storage::clients::service_handlers> const& live, std::string const& service,
                    std::string const& handler, int status);

} // namespace baton::web
