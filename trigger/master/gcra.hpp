#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/rate_limit.hpp"

#include <cstdint>
#include <optional>

namespace baton::trigger {

// A rate limit, by the generic cell rate algorithm in the form of virtual scheduling (ITU-T Recommendation I.371, annex
// A). A token comes every `per` / `limit`, and up to `burst` of them are kept. In any span at most
// span * limit / per + burst tokens are taken. Without clock and I/O; times are those of the cluster's clock.
class gcra {
public:
    gcra() = default; // without a limit
    explicit gcra(protocol::rate_limit const& rate) { change(rate, {}); }

    bool limits() const { return interval_ != 0; }
    // True if a token takes more than a second, so that a new master must know of those that were taken.
    bool slow() const { return interval_ > 1'000'000'000; }

    // Between two tokens; zero without a limit.
    duration interval() const;

    // When a token is free beyond the `promised` ones; nothing if the burst is not larger than `promised`.
    std::optional<utc_time> free_at(int promised) const;
    // Takes a token. Call it only when one is free.
    void take(utc_time now);
    // The execution that took a token did not begin.
    void put_back() { full_at_ -= interval_; }

    // Keeps the tokens, up to the new burst. A rate that never had a limit starts with all tokens, and one that lost
    // its limit for a while with those that would have come back by now.
    void change(protocol::rate_limit const& rate, utc_time now);
    // No token is there at `now`.
    void empty_at(utc_time now);

    // When all tokens are back (the theoretical arrival time of the algorithm).
    utc_time full_at() const;
    void restore(utc_time full_at);
    // full_at() if `count` more tokens are taken until `until`.
    utc_time full_at_after(int count, utc_time until) const;

private:
    std::int64_t times(std::int64_t count) const;

    std::int64_t interval_ = 0; // between tokens, in nanoseconds; 0: no limit
    std::int64_t burst_ = 1;
    std::int64_t full_at_ = 0; // in nanoseconds since the epoch
};

} // namespace baton::trigger
