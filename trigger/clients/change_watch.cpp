#include "trigger/clients/change_watch.hpp"

#include <algorithm>
#include <utility>

namespace baton::trigger {

namespace {
// Rows are not committed in the order of changed_at: rows younger than this are read again.
constexpr duration overlap = 5s;
// Notes come once a second. A note that nothing has changed is good for the time that the next two may take.
constexpr duration good_for = 3s;
}

bool change_watch::note(utc_time last_change, utc_time now, instant asked)
{
    bool const was_quiet = std::exchange(quiet_, begun_ && last_change < from() && now >= read_until_);
    if (quiet_)
        read_at_ = std::max(read_at_, asked);
    return was_quiet && !quiet_;
}

bool change_watch::unchanged(instant now) const
{
    return quiet_ && now - read_at_ < good_for;
}

void change_watch::was_read(utc_time until, instant asked)
{
    begun_ = true;
    read_until_ = until;
    read_at_ = asked;
}

utc_time change_watch::from() const
{
    return read_until_ - overlap;
}

} // namespace baton::trigger
