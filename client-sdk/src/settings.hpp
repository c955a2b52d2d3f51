#pragma once
// Turns the options of a service into the settings of its parts.

#include "baton/client/options.hpp"
#include "client-sdk/src/runtime.hpp"

#include <string>

namespace baton::client {

// Fills in defaults (slots, token from its file, instance) and checks. Throws std::invalid_argument; its text begins
// with the option's name.
service_options checked(service_options given, random_source& random);

// The address at which nodes reach a listener on `port`, by the checked options.
std::string advertised(service_options const& options, std::uint16_t port);

runtime_settings settings_of(service_options const& options, std::set<std::string> handlers, std::uint16_t port);

} // namespace baton::client
