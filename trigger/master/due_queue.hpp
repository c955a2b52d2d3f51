#pragma once

#include "libs/base/id.hpp"

#include <map>
#include <optional>
#include <vector>

namespace baton::trigger {

// Executions by their due time: a timer wheel of any size, with one bucket a millisecond. Cancelling is lazy: the
// caller checks whether an id that it takes is still valid.
class due_queue {
public:
    void put(utc_time due, execution_id id) { buckets_[bucket(due)].push_back(id); }

    std::optional<utc_time> next() const
    {
        if (buckets_.empty())
            return std::nullopt;
        return from_micros(buckets_.begin()->first * 1'000);
    }

    // Removes about `most` ids that are due at `now`, in order of time, in whole buckets.
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
