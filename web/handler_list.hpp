#pragma once
// The handlers of a service as web shows them. Pure.

#include "libs/storage/handler_schemas.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// In order of their names: how many clients have each handler, and the schema and the description that the client that
// joined last announces, among the clients that announce any.
nlohmann::json show_handlers(storage::handler_schemas::announced const& found);

} // namespace baton::web
