#pragma once

#include "libs/base/time.hpp"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace baton::trigger {

// active: may act. suspended: a deadline passed, nothing may be done; may resume under the same epoch, because an
// acknowledged renewal proves that nobody else was elected. lost: over for good.
enum class standing { none, active, suspended, lost };
std::string_view to_string(standing which);

// What this node knows of its own mastership. Written by the elector, read before every act of a master, from any
// thread: the deadline alone ends a term on time, even while a renewal hangs.
class mastership {
public:
    // A lease of `epoch`, acknowledged, asked for at `asked`: trusted from the moment of asking.
    void extend(std::int64_t epoch, instant asked, duration ttl, duration margin)
    {
        deadline_.store((asked + ttl - ttl / 1'000 - margin).time_since_epoch().count(), std::memory_order_relaxed);
        epoch_.store(epoch, std::memory_order_release);
    }

    void lose() { epoch_.store(0, std::memory_order_release); }

    // 0 when not master. Suspended terms keep their epoch.
    std::int64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
    instant deadline() const { return instant{duration{deadline_.load(std::memory_order_relaxed)}}; }

    // May an act of `epoch` that takes up to `need` begin at `now`?
    bool active(std::int64_t of, instant now, duration need = {}) const
    {
        return of != 0 && epoch() == of && now + need < deadline();
    }

    standing at(instant now) const
    {
        auto const mine = epoch();
        return mine == 0 ? standing::none : now < deadline() ? standing::active : standing::suspended;
    }

private:
    std::atomic<std::int64_t> epoch_{0};
    std::atomic<std::int64_t> deadline_{0};
};

} // namespace baton::trigger
