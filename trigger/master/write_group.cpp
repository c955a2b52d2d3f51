#include "trigger/master/write_group.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

void refused_groups::refuse(char const* area, std::string const& why)
{
    cause_ = why;
    if (std::exchange(told_, why) != why)
        log::error(area,
                   "the database refuses a whole group of writes, trying again after a pause that grows up to 30 s",
                   {log::reason(why)});
}

void refused_groups::end()
{
    if (cause_.empty()) {
        *this = {};
        return;
    }
    again_ = pauses_.after(duration{});
}

} // namespace baton::trigger
