#include "trigger/master/due_queue.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// The bucket of an instant. Rounded up: never early.
std::int64_t bucket_of(utc_time due)
{
    return (to_micros(due) + 999) / 1'000;
}

constexpr std::int64_t in_ms(duration span)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
}

constexpr std::int64_t bucket_at_once = 0; // the bucket of what is due at once

} // namespace

// Takes from lines whose turn it is. A bucket between `bucket_at_once` and `late` is caught up.
struct due_queue::taking {
    std::int64_t until;
    std::int64_t late;
    std::vector<execution_id> out{};

    // From the buckets in [from, to), at most so many.
    std::size_t take(line& which, std::int64_t from, std::int64_t to, std::size_t most)
    {
        auto const size = out.size();
        for (auto at = which.buckets_.lower_bound(from); at != which.buckets_.end() && at->first < to && most > 0;) {
            auto& [ids, taken] = at->second;
            auto const count = std::min(most, ids.size() - taken);
            auto const begin = ids.begin() + static_cast<std::ptrdiff_t>(taken);
            out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
            taken += count;
            most -= count;
            which.size_ -= count;
            at = taken == ids.size() ? which.buckets_.erase(at) : std::next(at);
        }
        return out.size() - size;
    }

    // How many of what is caught up this line may give now.
    std::size_t allowance(line& which) const
    {
        bool const over = until < which.span_begin_ || until >= which.span_begin_ + in_ms(span);
        if (over) {
            which.span_begin_ = until;
            which.left_in_span_ = std::max(caught_up_in_span, which.size_ / caught_up_share);
        }
        return which.left_in_span_;
    }

    void turn(line& which, std::size_t most)
    {
        most -= take(which, bucket_at_once, bucket_at_once + 1, most);
        most -= take(which, late, until + 1, most);
        which.left_in_span_ -= take(which, bucket_at_once + 1, late, std::min(most, allowance(which)));
    }

    // When the line can give the next; nothing if it is empty.
    std::optional<std::int64_t> next(line& which) const
    {
        auto const first = which.buckets_.begin();
        if (first == which.buckets_.end())
            return std::nullopt;
        if (first->first == bucket_at_once || first->first >= late || allowance(which) > 0)
            return first->first;
        auto const in_time = which.buckets_.lower_bound(late);
        auto const again = which.span_begin_ + in_ms(span);
        return in_time == which.buckets_.end() ? again : std::min(again, in_time->first);
    }
};

void due_queue::put(line& in, utc_time due, execution_id id)
{
    if (in.number_ == 0)
        in.number_ = ++lines_;
    auto const at = std::max(bucket_at_once, bucket_of(due));
    in.buckets_[at].ids.push_back(id);
    ++in.size_;
    if (!in.has_turn_ && (!in.place_ || at < *in.place_))
        order(in, at);
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
    taking all{until, until - in_ms(caught_up_after)};
    while (!turns_.empty() && all.out.size() < most) {
        auto& next = *turns_.front();
        turns_.pop_front();
        all.turn(next, std::min(quantum, most - all.out.size()));
        auto const again = all.next(next);
        if (again && *again <= until) {
            turns_.push_back(&next);
            continue;
        }
        next.has_turn_ = false;
        if (again)
            order(next, *again);
    }
    return std::move(all.out);
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

void due_queue::order(line& which, std::int64_t at)
{
    if (which.place_)
        order_.erase({*which.place_, which.number_});
    which.place_ = at;
    order_.emplace(std::pair(at, which.number_), &which);
}

} // namespace baton::trigger
