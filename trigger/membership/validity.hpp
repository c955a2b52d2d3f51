#pragma once

#include "libs/base/time.hpp"

#include <atomic>
#include <cstdint>

namespace baton::trigger {

// Until when the other nodes cannot count this one as gone. Two loops renew it; any thread may read.
class validity {
public:
    // A heartbeat was acknowledged at `now`. It holds until `until`.
    void renew(instant until, instant now)
    {
        auto const next = until.time_since_epoch().count();
        auto before = until_.load(std::memory_order_acquire);
        if (before != 0 && now.time_since_epoch().count() >= before)
            lapses_.fetch_add(1, std::memory_order_acq_rel);
        while (before < next && !until_.compare_exchange_weak(before, next, std::memory_order_acq_rel)) {
        }
    }
    void end() { until_.store(0, std::memory_order_release); }

    bool begun() const { return until_.load(std::memory_order_acquire) != 0; } // and not ended
    bool valid(instant now) const { return now.time_since_epoch().count() < until_.load(std::memory_order_acquire); }
    // The number of times that it was renewed after it had passed.
    std::uint64_t lapses() const { return lapses_.load(std::memory_order_acquire); }

private:
    std::atomic<std::int64_t> until_{0};
    std::atomic<std::uint64_t> lapses_{0};
};

} // namespace baton::trigger
