#pragma once

#include <string>
#include <string_view>

namespace baton::web {

// SHA-256 of OpenSSL in hex: tells a repeated request from another under the same key.
std::string fingerprint(std::string_view text);

} // namespace baton::web
