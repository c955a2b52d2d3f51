#include "trigger/master/planner.hpp"

#include <algorithm>

// Many tasks that are due at about the same time.

namespace baton::trigger {

// A pass, the backlog and a herd have this much of a round each; the next round goes on.
instant planner::end_of_share() const
{
    return term_.time.now() + settings_.look_ahead / 20;
}

awaitable<void> planner::plan_from_backlog()
{
    auto const stop = end_of_share();
    while (!backlog_.empty() && term_.time.now() < stop) {
        co_await term_.until_active(transaction_need);
        auto const now = term_.clock.now();
        auto const left = backlog_.range();
        look_ahead const ahead{now, left.until, now + settings_.look_ahead};
        auto from = left.from; // a page that is not committed is read again
        bool const more = co_await told_page(ahead, from);
        if (more)
            backlog_.go_on(from);
        else
            backlog_.clear();
    }
    behind_ = behind_ || !backlog_.empty();
}

awaitable<void> planner::plan_herd()
{
    if (!herd_)
        co_await look_for_herd();
    auto const stop = end_of_share();
    while (herd_ && term_.time.now() < stop) {
        co_await term_.until_active(transaction_need);
        co_await herd_page();
    }
    behind_ = behind_ || herd_;
}

awaitable<void> planner::herd_page()
{
    auto const planned_before = planned_in_round_;
    auto const begin = herd_->from;
    look_ahead const ahead{term_.clock.now(), herd_->until, herd_->until, true};
    bool const more = co_await told_page(ahead, herd_->from);
    bool const empty = planned_in_round_ == planned_before && herd_->from.id != begin.id;
    herd_->empty_pages = empty ? herd_->empty_pages + 1 : 0;
    if (!more || herd_->empty_pages == most_empty_pages)
        herd_.reset();
}

// Counts the tasks between the end of the last look and the end of the look-ahead.
awaitable<void> planner::look_for_herd()
{
    auto const now = term_.clock.now();
    auto const from = std::max(looked_until_, now + settings_.look_ahead / 2);
    auto const until = now + settings_.look_ahead;
    if (until <= from)
        co_return;
    auto const found = co_await parts_.ledger.count_due(from, until, herd_size);
    looked_until_ = until;
    if (found == herd_size)
        herd_ = {{{from}, until}, 0};
}

} // namespace baton::trigger
