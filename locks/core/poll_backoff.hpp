#pragma once

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

#include <algorithm>

namespace baton::lock {

// The pauses of one who waits for what nobody tells it of: short at first and then longer, so that what is held for
// long costs its waiters little. At least half of each is certain and the rest random, so that those who were refused
// together come apart.
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
