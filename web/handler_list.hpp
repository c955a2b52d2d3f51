#pragma once
// The handlers of a service as web shows them. Pure.

#include "libs/storage/handler_schemas.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// In order of their names: how many clients have each handler, and what the client that joined last of those that
// announce a schema or a description announces.
nlohmann::json show_handlers(storage::handler_schemas::announced const& found);

} // namespace baton::web
