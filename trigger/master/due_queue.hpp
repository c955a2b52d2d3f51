#pragma once

#include "libs/base/id.hpp"

#include <map>
#include <optional>
#include <vector>

namespace baton::trigger {

// What falls due when: a timer wheel without a fixed size, one bucket a millisecond. Cancelling is lazy: whoever takes
// an id asks whether it still stands.
class due_queue {
public:
    void put(utc_time due, execution_id id) { buckets_[bucket(due)].push_back(id); }

    std::optional<utc_time> next() const
    {
        if (buckets_.empty())
            return std::nullopt;
        return from_micros(buckets_.begin()->first * 1'000);
    }

    // Removes up to about `most` of what is due at `now`, in order of time; whole buckets.
    std::vector<execution_id> take(utc_time now, std::size_t most)
    {
        std::vector<execution_id> due;
        while (!buckets_.empty() && buckets_.begin()->first * 1'000 <= to_micros(now) && due.size() < most) {
            auto& first = buckets_.begin()->second;
            due.insert(due.end(), first.begin(), first.end());
            buckets_.erase(buckets_.begin());
        }
        return due;
    }

private:
    // Rounded up: never early.
    static std::int64_t bucket(utc_time due) { return (to_micros(due) + 999) / 1'000; }

    std::map<std::int64_t, std::vector<execution_id>> buckets_;
};

} // namespace baton::trigger
