#include "trigger/delivery/prefetch.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr double span_us = 100'000;
constexpr double least_us = 100;          // an execution costs a client about as much beside its handler
constexpr double remembered_results = 64; // results, before older ones count half
constexpr double largest = 1'000'000;
constexpr double much = 1.5; // a smaller change is not followed
}

void prefetch::ended(int count, duration total, int slots)
{
    if (count <= 0)
        return;
    add(count, std::max<duration>(total, duration::zero()));
    follow(slots);
}

void prefetch::stalled(duration span, int slots)
{
    add(slots, span * slots);
    follow(slots);
}

void prefetch::add(double count, duration total)
{
    count_ += count;
    total_us_ += static_cast<double>(total.count());
    while (count_ > 2 * remembered_results) {
        count_ /= 2;
        total_us_ /= 2;
    }
}

void prefetch::follow(int slots)
{
    auto const mean = std::max(total_us_ / count_, least_us);
    auto const wanted = static_cast<int>(std::min(slots * span_us / mean, largest));
    bool const near = known_ && wanted != 0 && size_ != 0 && wanted < size_ * much && size_ < wanted * much;
    if (!near)
        size_ = wanted;
    known_ = true;
}

} // namespace baton::trigger
