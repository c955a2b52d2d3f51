#pragma once

#include "libs/http/server.hpp"

#include <string>

namespace baton::trigger {

// For a node's listener: reads the body of a request under /client/v1 only if it shows the clients' `token` (if there
// is one), under /internal/v1 only if it shows this incarnation's `secret`, and none elsewhere. Any thread.
http::admitter make_admitter(std::string token, std::string secret);

} // namespace baton::trigger
