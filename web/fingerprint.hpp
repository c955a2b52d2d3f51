#pragma once

#include <string>
#include <string_view>

namespace baton::web {

// SHA-256 (OpenSSL) in hex: tells a repeated request from a different one under the same idempotency key.
std::string fingerprint(std::string_view text);

} // namespace baton::web
