#pragma once

#include "libs/storage/clients.hpp"

#include <string>

namespace baton::web {

// Refuses with `status` unless a live client of the service serves the handler. The refusal names the field ("service"
// or "handler") and the services or handlers that are served.
void require_served(storage::clients::served_handlers const& live, std::string const& handler, int status);

} // namespace baton::web
