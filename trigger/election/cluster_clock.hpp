#pragma once

#include "libs/base/time.hpp"

#include <array>
#include <optional>

namespace baton::trigger {

// Cluster time: this node's estimate of the database's clock. It decides when an execution is due, so a node's wall
// clock may be wrong. The offset to the boot clock comes from the quickest of the last 16 samples. Cluster time slews
// by at most 5 ms a second and never goes back; it follows a step of over a second only after ten seconds of agreement.
// Without samples (SQLite, on one host) it is the host's UTC clock, which then never goes back either.
class cluster_clock {
public:
    explicit cluster_clock(time_source const& time) : time_(time), steady_since_(time.now()) {}

    // The database's clock showed `utc` at some instant between `asked` and `answered`.
    void sample(utc_time utc, instant asked, instant answered);

    utc_time now();

    // The database's clock by the estimate. Unlike now() it goes back when that clock is set back, so it is right for
    // the age of what the database has dated.
    utc_time database_now() const;

    // The time that the clock must reach again while time stands still, because it was set back by a second or more.
    // Until then nothing falls due by an instant; what waits for a span of time counts on the boot clock.
    std::optional<utc_time> stands_until();

    // The known limit of the estimate's error: half the round trip of its sample, and the rest that is yet to slew.
    duration error() const;

    // False while the other nodes' clocks may be ahead of this one: it began less than a minute ago, perhaps after a
    // step back that the others have not followed, or it has followed a step since or is about to.
    bool steady() const;

    // The host's wall clock minus cluster time, for people.
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
    std::optional<duration> offset_; // of cluster time to the boot clock
    instant slewed_at_{};
    std::optional<instant> step_seen_at_;
    instant steady_since_;
    utc_time last_{};
    bool stands_ = false;
};

} // namespace baton::trigger
