#pragma once

#include <string>

namespace baton::protocol {

inline constexpr std::size_t longest_nonce = 128; // bytes, so that a stranger's probe costs a client little

// How a client proves to a node that it has the secret of `instance`, without showing it: HMAC-SHA256 in hexadecimal
// digits. The text begins with its purpose, because any caller can have a client compute it: the result must be of use
// for nothing else. It names the instance, so that a client which goes on under a new name cannot prove the old one,
// even if it kept its secret.
std::string proof_of(std::string const& secret, std::string const& instance, std::string const& nonce);

} // namespace baton::protocol
