#pragma once

#include "libs/http/message.hpp"

#include <string>

namespace baton::web {

// Access to /api; throws `refused`. With a token: requests that show it (401 otherwise). Without one: requests that
// reach a loopback listener by a loopback name, and not from another site's page in a browser, which would name that
// site in Origin or, by DNS rebinding, its host (403).
void admit(http::request const& message, std::string const& token);

} // namespace baton::web
