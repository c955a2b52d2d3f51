#include "libs/protocol/proof.hpp"

#include "libs/base/digest.hpp"

namespace baton::protocol {

std::string proof_of(std::string const& secret, std::string const& instance, std::string const& nonce)
{
    return hmac_sha256_hex(secret, "baton probe\n" + instance + "\n" + nonce);
}

} // namespace baton::protocol
