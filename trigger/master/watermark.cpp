#include "trigger/master/watermark.hpp"

#include "libs/base/outage.hpp"
#include "trigger/master/write_group.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration every_round = 1s;
constexpr duration behind = 2s; // by then most executions have ended, or are running in the ledger
constexpr duration marked_late_after = behind + every_round; // the watermark has passed it by then, if it can
constexpr std::size_t most_marks = 2'000;                    // of a round
constexpr std::size_t most_looked_at = 20'000;
constexpr int most_tries = 4; // at rows that other transactions have locked
constexpr duration raise_again = 20ms;
}

awaitable<void> watermark::read()
{
    former_ = co_await scope_.ledger.watermark(scope_.term.fence.name_space);
    reserved_ = written_ = former_;
}

bool watermark::must_mark(open_execution const& one) const
{
    if (one.out || one.due_at <= reserved_)
        return !one.out;
    bool const stuck = loaded_ && scope_.term.time.now() - round_at_ > marked_late_after;
    return stuck && one.due_at <= scope_.term.clock.now() - marked_late_after;
}

void watermark::sent(open_execution& one)
{
    one.sent = true;
    if (!one.out)
        sent_.add(one.due_at, {one.id, one.attempt});
}

void watermark::fell_due()
{
    wanted_until_ = scope_.term.time.now() + behind + 2 * every_round;
}

void watermark::all_loaded()
{
    loaded_ = true;
    round_at_ = scope_.term.time.now();
    fell_due();
}

void watermark::hurry()
{
    if (!hurries_to_)
        hurries_to_ = scope_.term.clock.now();
    bell_.wake();
}

awaitable<void> watermark::run()
{
    for (;;) {
        bool const hurries = hurries_to_ && !has_hurried();
        co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + (hurries ? raise_again : every_round));
        if (!loaded_)
            continue;
        try {
            co_await round();
            round_at_ = scope_.term.time.now();
        } catch (unavailable const& reason) {
            log::outage(reason, "watermark", "raising the watermark failed, trying again in a second",
                        {log::reason(reason.what())});
        }
    }
}

bool watermark::is_wanted(utc_time target) const
{
    return target > written_ &&
           (hurries_to_ || !sent_.empty() || !to_mark_.empty() || scope_.term.time.now() < wanted_until_);
}

awaitable<void> watermark::round()
{
    auto const target = scope_.term.clock.now() - (hurries_to_ ? 0s : behind);
    all_read_ = all_read_ || scope_.open.stale().empty();
    if (!all_read_ || !is_wanted(target))
        co_return;
    reserve(target);
    std::erase_if(to_mark_, [this](auto const& each) { // which a node has returned meanwhile
        auto const* one = scope_.open.find(each.execution);
        return one == nullptr || one->attempt != each.attempt || !one->sent;
    });
    for (int tries = 0; tries < most_tries; ++tries) {
        bool const raised = co_await mark_and_raise();
        if (raised)
            co_return;
        co_await scope_.term.time.sleep_for(raise_again);
    }
    co_await raise_below_the_locked();
}

// From here on, what is due at or below `reserved_` is marked before it is sent. What has been sent is collected in the
// same step.
void watermark::reserve(utc_time target)
{
    for (std::size_t seen = 0; to_mark_.size() < most_marks && seen < most_looked_at;) {
        auto const slice = sent_.take(target);
        if (!slice) {
            reserved_ = std::max(reserved_, target);
            return;
        }
        seen += slice->attempts.size();
        collect(slice->attempts);
        reserved_ = std::max(reserved_, std::min(slice->end, target));
    }
}

void watermark::collect(std::vector<protocol::attempt_key> const& attempts)
{
    for (auto const& each : attempts)
        if (auto const* one = scope_.open.find(each.execution);
            one != nullptr && one->attempt == each.attempt && one->sent && !one->out)
            to_mark_.push_back(each);
}

// True when all are marked and the watermark is raised. Otherwise those that other transactions have locked are left.
awaitable<bool> watermark::mark_and_raise()
{
    for (auto left = to_mark_.size();;) {
        auto const group = front(to_mark_, std::min(left, most_in_a_group));
        bool const last = group.size() == to_mark_.size();
        auto const raise_to = last ? std::optional(reserved_) : std::nullopt;
        co_await scope_.term.until_active(transaction_need);
        auto const locked = co_await scope_.ledger.mark_sent(scope_.term.fence, group, raise_to);
        note_marked(group);
        for (auto const& each : locked)
            if (auto* one = scope_.open.find(each.execution); one != nullptr && one->attempt == each.attempt)
                one->out = false;
        drop(to_mark_, group.size());
        to_mark_.insert(to_mark_.end(), locked.begin(), locked.end());
        left -= group.size();
        if (last && locked.empty())
            written_ = std::max(written_, *raise_to);
        if (left == 0)
            co_return (last && locked.empty());
    }
}

void watermark::note_marked(std::vector<protocol::attempt_key> const& group)
{
    for (auto const& each : group)
        if (auto* one = scope_.open.find(each.execution); one != nullptr && one->attempt == each.attempt)
            one->out = true;
}

awaitable<void> watermark::raise_below_the_locked()
{
    auto until = reserved_;
    for (auto const& each : to_mark_)
        if (auto const* one = scope_.open.find(each.execution); one != nullptr && one->attempt == each.attempt)
            until = std::min(until, one->due_at - 1us);
    if (until <= written_)
        co_return;
    std::vector<protocol::attempt_key> const none;
    std::optional const raise_to(until);
    co_await scope_.term.until_active(transaction_need);
    co_await scope_.ledger.mark_sent(scope_.term.fence, none, raise_to);
    written_ = until;
}

} // namespace baton::trigger
