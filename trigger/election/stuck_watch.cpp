#include "trigger/election/stuck_watch.hpp"

#include <utility>

namespace baton::trigger {

bool stuck_watch::stuck(std::uint64_t stamp, instant now)
{
    auto const before = std::exchange(looked_at_, now);
    bool const paused = now - before > limit_ / 4;
    if (stamp != stamp_ || paused) {
        stamp_ = stamp;
        since_ = now;
    }
    return now - since_ >= limit_;
}

} // namespace baton::trigger
