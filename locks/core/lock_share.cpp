#include "locks/core/lock_share.hpp"

#include "locks/include/baton/lock/types.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

bool takes_all(lock_share const& share)
{
    return share.weight == share.capacity && share.capacity > 1;
}

} // namespace

admission admit(lock_share const& asked, std::vector<lock_share> const& held, bool room_reserved)
{
    std::int64_t taken = 0;
    for (auto const& each : held) {
        if (each.capacity != asked.capacity)
            return admission::mismatched;
        taken += each.weight;
    }
    if (taken + asked.weight > asked.capacity || (room_reserved && !takes_all(asked)))
        return admission::refused;
    return admission::granted;
}

bool reserves_room(lock_share const& asked, std::vector<lock_share> const& held)
{
    return takes_all(asked) && !held.empty() && std::none_of(held.begin(), held.end(), takes_all);
}

std::system_error capacity_mismatch(std::string const& name, std::int64_t asked, std::int64_t found)
{
    return std::system_error(make_error_code(lock_errc::misuse),
                             "lock " + name + ": permits: asked for one of " + std::to_string(asked) +
                                 " while it is held as one of " + std::to_string(found) +
                                 ": use the same number, or wait until no permit is held");
}

} // namespace baton::lock
