#pragma once
// The loads of the comparison. Each contender has a thread of its own. locks/bench/peers has the same loads in Java.

#include "locks/bench/turns/contenders.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

namespace baton::bench {

class loads {
public:
    using span = std::chrono::duration<double>;
    using times = std::vector<std::chrono::nanoseconds>; // ascending

    explicit loads(std::vector<std::unique_ptr<contender>> contenders) : contenders_(std::move(contenders)) {}

    // The times of lock and unlock by a single contender.
    times pairs(span time);
    // All contenders as fast as they can. Returns the grants of each.
    std::vector<int> turns(span time);
    // Each holds the lock for a while, until all others wait. Returns the times from a call of unlock to the return of
    // the next lock.
    times hand_overs(int wanted);

    // How often two contenders held the lock at once.
    int overlaps() const { return overlaps_; }

private:
    void each(std::function<void(std::size_t)> const& work);
    void enter() { overlaps_ += inside_.fetch_add(1) != 0; }
    void leave() { --inside_; }

    std::vector<std::unique_ptr<contender>> contenders_;
    std::atomic<int> inside_ = 0;
    std::atomic<int> overlaps_ = 0;
};

} // namespace baton::bench
