#pragma once
// The variables that override a configuration.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

// The value of an environment variable, or nothing.
using environment = std::function<std::optional<std::string>(std::string const& name)>;
environment process_environment();

// `outside`, which also adds the name of each variable that was asked for and is set to `taken`, once.
environment noting(environment outside, std::vector<std::string>& taken);

// "taken from the environment: BATON_A, BATON_B"; empty without variables. Names only: a value may be a
// secret.
std::string taken_text(std::vector<std::string> const& taken);

// "election.ttl" -> "BATON_ELECTION_TTL"
std::string variable_of(std::string const& path);

} // namespace baton::cli
