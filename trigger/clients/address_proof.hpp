#pragma once

#include "trigger/clients/client_line.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// The identity that the address of a client must prove: see protocol::probe_request.
struct address_probe {
    std::string instance;
    std::string secret;
    std::string nonce;
};

// Probes the client within `limit`; `to` is without the secret. Why the client has not proved itself there, in words
// for people; nothing if it has.
awaitable<std::optional<std::string>> probe_address(client_line& line, call_target to, address_probe expected,
                                                    duration limit);

// Why this answer does not prove that the client listens at its address; nothing if it does. Pure.
std::optional<std::string> proof_error(address_probe const& expected, http::response const& answer);

} // namespace baton::trigger
