#pragma once

#include "trigger/master/node_calls.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// Asks one client, through its home, which of these attempts it has. Nothing if it does not answer. From its answer on
// it refuses those that it does not have.
awaitable<std::optional<std::vector<protocol::held_execution>>> ask_client(node_calls& calls, std::string home,
                                                                           std::string client, protocol::term_id term,
                                                                           std::vector<protocol::attempt_key> attempts);

} // namespace baton::trigger
