#include "libs/base/outage.hpp"

namespace baton::log {

void outage(unavailable const& failure, std::string_view area, std::string_view event, fields more)
{
    if (dynamic_cast<told_already const*>(&failure) != nullptr)
        debug(area, event, more);
    else
        warn(area, event, more);
}

} // namespace baton::log
