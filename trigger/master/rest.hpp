#pragma once

#include "libs/base/time.hpp"

#include <algorithm>

namespace baton::trigger {

// The pause after work that took so long, for work that shall have `share` percent of the time.
inline duration rest_after(duration took, int share)
{
    return std::max<duration>(took * (100 - share) / share, 1ms);
}

} // namespace baton::trigger
