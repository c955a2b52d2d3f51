#pragma once
// What contenders do with one lock, each on a thread of its own. locks/bench/peers has the same in Java.

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

    // As many locks and unlocks of the only contender as there is time for.
    times pairs(span time);
    // All as fast as they can: how many grants each had.
    std::vector<int> turns(span time);
    // Each holds it for a while, when all others wait: from the call of unlock to the return of the next one's lock.
    times hand_overs(int wanted);

    // How often two held it at once.
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
