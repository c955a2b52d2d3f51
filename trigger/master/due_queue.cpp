#include "trigger/master/due_queue.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// The bucket of an instant. Rounded up: never early.
std::int64_t bucket_of(utc_time due)
{
    return (to_micros(due) + 999) / 1'000;
}

} // namespace

void due_queue::put(line& in, utc_time due, execution_id id)
{
    if (in.number_ == 0)
        in.number_ = ++lines_;
    auto const at = bucket_of(due);
    in.buckets_[at].ids.push_back(id);
    if (!in.has_turn_ && (!in.place_ || at < *in.place_))
        order(in);
}

std::optional<utc_time> due_queue::next() const
{
    std::optional<std::int64_t> first;
    if (!turns_.empty())
        first = turns_.front()->buckets_.begin()->first;
    if (!order_.empty())
        first = std::min(first.value_or(INT64_MAX), order_.begin()->first.first);
    return first ? std::optional(from_micros(*first * 1'000)) : std::nullopt;
}

std::vector<execution_id> due_queue::take(utc_time now, std::size_t most)
{
    auto const until = to_micros(now) / 1'000;
    give_turns(until, most);
    std::vector<execution_id> due;
    while (!turns_.empty() && due.size() < most) {
        auto& next = *turns_.front();
        turns_.pop_front();
        take_from(next, until, std::min(quantum, most - due.size()), due);
        if (!next.buckets_.empty() && next.buckets_.begin()->first <= until) {
            turns_.push_back(&next);
            continue;
        }
        next.has_turn_ = false;
        order(next);
    }
    return due;
}

void due_queue::give_turns(std::int64_t until, std::size_t most)
{
    while (!order_.empty() && order_.begin()->first.first <= until && turns_.size() < most) {
        auto& next = *order_.begin()->second;
        order_.erase(order_.begin());
        next.place_.reset();
        next.has_turn_ = true;
        turns_.push_back(&next);
    }
}

void due_queue::order(line& which)
{
    if (which.place_)
        order_.erase({*which.place_, which.number_});
    which.place_.reset();
    if (which.buckets_.empty())
        return;
    which.place_ = which.buckets_.begin()->first;
    order_.emplace(std::pair(*which.place_, which.number_), &which);
}

void due_queue::take_from(line& which, std::int64_t until, std::size_t most, std::vector<execution_id>& out)
{
    auto const size = out.size() + most;
    while (!which.buckets_.empty() && which.buckets_.begin()->first <= until && out.size() < size) {
        auto& first = which.buckets_.begin()->second;
        auto const count = std::min(size - out.size(), first.ids.size() - first.taken);
        auto const begin = first.ids.begin() + static_cast<std::ptrdiff_t>(first.taken);
        out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        first.taken += count;
        if (first.taken == first.ids.size())
            which.buckets_.erase(which.buckets_.begin());
    }
}

} // namespace baton::trigger
