#pragma once

#include "libs/base/time.hpp"

#include <cstdint>

namespace baton::trigger {

// Judges from its stamps, which it counts up while it runs, whether the working loop is stuck.
class stuck_watch {
public:
    explicit stuck_watch(duration limit) : limit_(limit) {}

    // Call it at least ten times in `limit`. True if this caller has seen the same stamp for `limit`. A longer pause
    // between two calls means that the whole process stood still, the working loop no more than the caller.
    bool stuck(std::uint64_t stamp, instant now);

private:
    duration limit_;
    std::uint64_t stamp_ = 0;
    instant since_{}; // this stamp was seen first
    instant looked_at_{};
};

} // namespace baton::trigger
