#pragma once
// Pauses as REST shows them.

#include "libs/protocol/pause.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// Null for none.
nlohmann::json show_pause(protocol::pause const* pause);

} // namespace baton::web
