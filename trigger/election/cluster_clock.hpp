#pragma once

#include "libs/base/time.hpp"

#include <array>
#include <optional>

namespace baton::trigger {

// Cluster time: the database's clock as this node estimates it. Due-ness is judged by it, so a node's wall clock may be
// wrong. The offset to the boot clock is that of the quickest of the last 16 samples; it is followed by slewing at most
// 5 ms a second, never goes back, and a step of over a second is followed only after ten seconds of agreement.
// Without samples (SQLite: one host) it is the host's own UTC clock, held to never go back.
class cluster_clock {
public:
    explicit cluster_clock(time_source const& time) : time_(time) {}

    // The database said `utc`, at some moment between `asked` and `answered`.
    void sample(utc_time utc, instant asked, instant answered);

    utc_time now();

    // By how much this estimate may be off, as far as this node can tell: half a round trip of the sample that it rests
    // on, and what it has yet to slew.
    duration error() const;

    // The host's wall clock minus cluster time: what a person should see when a node's clock is wrong.
    duration skew() { return time_.utc() - now(); }

private:
    struct reading {
        duration offset{};
        duration error{};
    };
    reading const& best() const;
    void slew(instant now);
    void follow_step(duration target, instant now);

    time_source const& time_;
    std::array<reading, 16> readings_{};
    std::size_t count_ = 0;
    std::optional<duration> offset_; // of cluster time to the boot clock's zero
    instant slewed_at_{};
    std::optional<instant> step_seen_at_;
    utc_time last_{};
};

} // namespace baton::trigger
