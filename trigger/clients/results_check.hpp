#pragma once

#include "libs/protocol/client_wire.hpp"

#include <string>

namespace baton::trigger {

// The results that a client reports, read from a body. Throws invalid_input, which names the statuses that a client may
// report.
protocol::results_request read_results(std::string const& body);

} // namespace baton::trigger
