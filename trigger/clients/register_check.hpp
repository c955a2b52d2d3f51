#pragma once

#include "libs/protocol/client_wire.hpp"

namespace baton::trigger {

// Throws invalid_input, which names the field and the reason, for a registration that no node may take.
void check(protocol::register_request const& request);

} // namespace baton::trigger
