#pragma once
// From the options of a service to what its parts are given.

#include "baton/client/options.hpp"
#include "client-sdk/src/runtime.hpp"

#include <string>

namespace baton::client {

// Fills in defaults (slots, token from its file, instance) and checks. Throws std::invalid_argument whose text begins
// with the option's name.
service_options checked(service_options given, random_source& random);

// Where nodes reach a listener on `port`, as the options (checked) say.
std::string advertised(service_options const& options, std::uint16_t port);

runtime_settings settings_of(service_options const& options, std::set<std::string> handlers, std::uint16_t port);

} // namespace baton::client
