#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace baton::trigger {

// How far the wall clock of a client is ahead of its home's, by the times that its heartbeats carry. A heartbeat is on
// its way for a while, which makes the client look late by as much; so the reading of the quickest of the last 8 to 15
// heartbeats counts. The client is ahead by the estimate, and by at most the time more that this heartbeat took. A step
// back of the clock shows within 16 heartbeats, one ahead at once.
class clock_estimate {
public:
    // Both in unix milliseconds, from 0 to 9999 AD.
    void take(std::int64_t home_ms, std::int64_t client_ms)
    {
        if (taken_ == window) {
            before_ = present_;
            present_ = nothing;
            taken_ = 0;
        }
        auto const ahead = client_ms - home_ms;
        present_ = ahead > present_ ? ahead : present_;
        ++taken_;
    }

    // Nothing while no heartbeat has told the time.
    std::optional<std::int64_t> ahead_ms() const
    {
        auto const most = present_ > before_ ? present_ : before_;
        return most == nothing ? std::nullopt : std::optional(most);
    }

private:
    static constexpr std::uint8_t window = 8;
    static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();

    std::int64_t present_ = nothing; // the largest of the last `taken_` readings
    std::int64_t before_ = nothing;  // of the eight before these
    std::uint8_t taken_ = 0;
};

} // namespace baton::trigger
