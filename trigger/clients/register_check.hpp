#pragma once

#include "libs/protocol/client_wire.hpp"

namespace baton::trigger {

// Throw invalid_input, which names the field and the reason, for a message that no node may take.
void check(protocol::register_request const& request);
void check(protocol::heartbeat_request const& request);
void check_instance(std::string const& instance); // of the other messages, which must say whose they are
void check_poll(std::int64_t poll);               // of a fetch

} // namespace baton::trigger
