#pragma once

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

#include <algorithm>

namespace baton::lock {

// Pauses for polling a lock without notifications: they double up to a limit, so that a long hold costs its waiters
// little. Half of each pause is random, so that waiters that were refused together spread out.
class poll_backoff {
public:
    bool is_at_limit() const { return pause_ == longest; }

    duration next(random_source& random)
    {
        auto const half = pause_ / 2;
        pause_ = std::min(pause_ * 2, longest);
        return half + duration{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(half.count())))};
    }

private:
    static constexpr duration longest = 64ms;

    duration pause_ = 4ms;
};

} // namespace baton::lock
