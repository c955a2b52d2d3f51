#pragma once

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

namespace baton {

// Mixed into an `unavailable` whose cause the log has told already, once for all who meet it, such as a refused log-in.
class told_already {
public:
    virtual ~told_already() = default;

protected:
    told_already() = default;
    told_already(told_already const&) = default;
    told_already& operator=(told_already const&) = default;
};

namespace log {

// Logs a failure after which the caller tries again: as a warning, or for debugging only if its cause is told_already.
void outage(unavailable const& failure, std::string_view area, std::string_view event, fields more);

} // namespace log

} // namespace baton
