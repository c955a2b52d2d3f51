#pragma once

#include "libs/protocol/whereabouts_wire.hpp"
#include "trigger/master/open_set.hpp"

#include <vector>

namespace baton::trigger {

// Where these executions are, for people: with a node, with a client, or in doubt. The others are left out. One that a
// client has and that has not begun there, as far as is known, names another that runs there. Pure.
std::vector<protocol::whereabouts> whereabouts_of(open_set& open, std::vector<execution_id> const& ids);

} // namespace baton::trigger
