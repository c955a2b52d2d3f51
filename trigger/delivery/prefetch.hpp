#pragma once

#include "libs/base/time.hpp"

#include <cstdint>

namespace baton::trigger {

// How many executions a client gets beyond its slots: as many as its slots end in 100 ms, by the run times of its last
// results. So handlers of microseconds get hundreds, which hide the way to the client and back, and handlers of seconds
// get none, so that nothing waits behind them. Without a clock.
class prefetch {
public:
    // So many results have come; their handlers ran for `total` together.
    void ended(int count, duration total, int slots);
    // All slots have been busy for `span` without an end.
    void stalled(duration span, int slots);
    // Before the first result: as many as slots. Follows the estimate only when that has changed much, because each
    // change is a message to the master.
    int size(int slots) const { return known_ ? size_ : slots; }

private:
    void add(double count, duration total);
    void follow(int slots);

    double count_ = 0; // of the last results; older ones count less
    double total_us_ = 0;
    bool known_ = false;
    int size_ = 0;
};

} // namespace baton::trigger
