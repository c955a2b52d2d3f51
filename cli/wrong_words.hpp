#pragma once
// Messages that name a wrong word of the command line or a wrong variable, and the nearest right one.
// Thread-safe: the functions have no state.

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

// "unknown command 'taks'; did you mean 'task'?" for a command line that `program` did not accept. Nothing if the error
// is not one of unknown or missing words; CLI11's own message is then the better one.
std::optional<std::string> wrong_word(CLI::App const& program);

// "baton task add --help": the command that shows the help for the words that were recognised.
std::string help_of(CLI::App const& program);

// Throws config_error for the variables named BATON_... that neither a process nor the command line reads, and
// that the agent does not give to its commands. `names` are names of variables, of any kind.
void check_variables(std::vector<std::string> const& names);

// The names of the process's variables.
std::vector<std::string> variables_of_process();

} // namespace baton::cli
