#pragma once
// The environment of a command.

#include "agent/account.hpp"
#include "agent/settings.hpp"

#include <map>
#include <string>

namespace baton::agent {

using variables = std::map<std::string, std::string>;

// True for the agent's own settings (BATON_...), for names that speak of a token, password, secret, credential or key,
// and for values that are addresses with a password in them (scheme://user:password@host).
bool is_secret(std::string const& name, std::string const& value);

// The variables of a command: those of this process without secrets, or cron's (command::as_cron); then those of the
// command's configuration, which may hold secrets that it needs; then those of the run. Any thread, while no other
// changes the environment of this process.
variables environment_of(command const& what, account const& who, variables const& of_run);

} // namespace baton::agent
