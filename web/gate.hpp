#pragma once

#include "libs/http/message.hpp"

#include <string>

namespace baton::web {

// Access to /api; throws `refused`. With a token: requests that show it (401 otherwise). Without one: requests that
// reach a loopback listener by a loopback name, and not from another site's page in a browser, which would name that
// site in Origin, say so in Sec-Fetch-Site or, by DNS rebinding, name its host (403).
void admit(http::request const& message, std::string const& token);
bool may_enter(http::request const& message, std::string const& token); // whether admit() throws nothing

} // namespace baton::web
