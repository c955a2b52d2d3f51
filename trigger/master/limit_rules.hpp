#pragma once
// What the time limits of a task mean for one of its executions. Without clock and I/O.

#include "trigger/master/open_set.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

enum class limit_kind { start, total };

// The instant until which a client must have the execution, or at which it must have ended; none without that limit.
std::optional<utc_time> limit_of(open_execution const& one, limit_kind kind);

enum class limit_step {
    none,       // it is not concerned
    look_again, // what is on its way decides
    skip,       // it has not been sent in time
    fail,       // likewise
    time_out,   // no client has it now
    abandon,    // a client has it: it ends without its handler
};
// What is to be done when that instant has come.
limit_step step_at_limit(open_execution const& one, limit_kind kind);

// The reason for people when its limit ends the execution.
std::string reason_of_limit(open_execution const& one, limit_kind kind);

} // namespace baton::trigger
