#pragma once

#include "libs/http/message.hpp"

#include <string>

namespace baton::web {

// Who may use /api. With a token: whoever shows it (401 otherwise). Without one: whoever reaches a loopback listener by
// a loopback name, and no other site's page in a browser, which would name itself in Origin or, by DNS rebinding, its
// own host (403). Throws `refused`.
void admit(http::request const& message, std::string const& token);

} // namespace baton::web
