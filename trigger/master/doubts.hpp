#pragma once

#include "trigger/master/open_set.hpp"

#include <string>

namespace baton::trigger {

// Takes the executions of which it is unknown whether a client has them. Part of a term.
class doubts {
public:
    // `cause`: of the next attempt, if no client has the execution.
    virtual void add(open_execution& one, protocol::attempt_cause cause) = 0;
    // Is this the replaced master, which has not answered yet? It may be dead or stopped: give it no work.
    virtual bool suspects(std::string const& incarnation) const = 0;

protected:
    ~doubts() = default;
};

} // namespace baton::trigger
