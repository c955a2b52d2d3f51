#pragma once

#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <ostream>
#include <string>

namespace baton::cli {

// Waits until the execution has ended and returns it as REST shows it. Writes a line to `told` whenever there is news:
// the client that runs it, its progress, and from the third second on why it waits. An interrupt ends the process with
// status_interrupted and says how to cancel the execution.
nlohmann::json await_end(rest& web, std::string const& execution, times const& at, std::ostream& told);

// "execution 12: succeeded {"closed":42}", or "execution 12: failed after 3 attempts: " and the error. The outputs of a
// command follow as text; of one that failed their ends, and the command that shows the whole. Pure.
std::string ending_of(nlohmann::json const& execution);

// The news of an open execution; empty if there is none. `patient`: a reason to wait is news. Pure.
std::string news_of(nlohmann::json const& execution, times const& at, bool patient);

} // namespace baton::cli
