#include "libs/base/log.hpp"
#include "trigger/master/admission_places.hpp"
#include "trigger/master/admissions.hpp"
#include "trigger/master/write_group.hpp"

#include <algorithm>

namespace baton::trigger {

// What the ledger must know of executions that wait, in groups.

namespace {

constexpr duration noted_after = 1s;           // one that waits for less costs no write
constexpr duration after_failed_write = 200ms; // after a write that failed

} // namespace

awaitable<void> admissions::read()
{
    auto const recorded = co_await scope_.ledger.limit_states();
    tree_.begin(rate_time(), recorded);
}

awaitable<void> admissions::run()
{
    for (;;) {
        auto next = scope_.term.time.now();
        try {
            co_await round();
            next = next_look();
        } catch (unavailable const& reason) {
            log::warn("admissions", "noting in the ledger what limits keep back failed, trying again in 200 ms",
                      {log::reason(reason.what())});
            next = scope_.term.time.now() + after_failed_write;
        }
        looks_at_ = next;
        co_await bell_.wait_until(scope_.term.time, next);
        looks_at_ = instant::min();
    }
}

void admissions::look_in_time()
{
    if (next_look() < looks_at_)
        bell_.wake();
}

instant admissions::next_look() const
{
    auto const now = scope_.term.time.now();
    auto next = now + 1h;
    if (!not_noted_.empty())
        next = std::min(next, not_noted_.front().first + noted_after);
    next = std::min(next, locked_to_cancel_.next());
    if (gate_.has_more() || !edited_lines_.empty() || !lines_to_look_at_.empty())
        next = std::min(next, now + 1ms);
    if (!promised_.empty())
        next = std::min(next, promised_.front().first + promise_holds);
    if (auto const free = tree_.next())
        next = std::min(next, now + std::max<duration>(*free - rate_time(), 0us));
    return next;
}

awaitable<void> admissions::round()
{
    if (all_loaded_ && !has_let_in())
        let_in_early();
    step_back();
    look_at_lines();
    admitted(gate_.admit_more());
    wake_tree();
    auto const again = locked_to_cancel_.take(scope_.term.time.now());
    to_cancel_.insert(to_cancel_.end(), again.begin(), again.end());
    while (!to_cancel_.empty())
        co_await cancel_replaced();
    while (!unsure_.empty())
        co_await learn_unsure();
    co_await note();
    while (!to_let_go_.empty())
        co_await let_go();
}

awaitable<void> admissions::cancel_replaced()
{
    co_await scope_.term.until_active(transaction_need);
    auto const some = front(to_cancel_);
    auto const locked = co_await scope_.ledger.request_cancel(scope_.term.fence, some, took_its_place);
    drop(to_cancel_, some.size());
    std::set<execution_id> const left(locked.begin(), locked.end());
    for (auto const id : some)
        if (left.contains(id))
            locked_to_cancel_.add(id, scope_.term.time.now());
        else
            scope_.open.request_cancel(id);
}

// Collects the executions that have waited for over a second. They are noted in memory first: late_sends must end
// the note of an execution that is admitted while the note is being written.
void admissions::take_to_note()
{
    auto const now = scope_.term.time.now();
    auto const clock = scope_.term.clock.now();
    while (!not_noted_.empty() && not_noted_.front().first + noted_after <= now && to_note_.size() < most_in_a_group) {
        auto const [since, id] = not_noted_.front();
        not_noted_.pop_front();
        auto* one = scope_.open.find(id);
        if (one == nullptr || one->phase != phase::waiting || one->noted || !waits(id))
            continue;
        one->noted = true;
        auto const what = gate_.waits(id) ? protocol::blocker::task_concurrency : tree_.blocker_of(id, rate_time());
        to_note_.push_back({id, what, clock - (now - since)});
    }
}

awaitable<void> admissions::note()
{
    for (take_to_note(); !to_note_.empty(); take_to_note()) {
        co_await scope_.term.until_active(transaction_need);
        std::erase_if(to_note_, [this](auto const& each) { // of a write that failed: it may have been sent since
            auto const* one = scope_.open.find(each.id);
            return one == nullptr || !one->noted || one->phase != phase::waiting;
        });
        auto const locked = co_await scope_.ledger.keep_back(scope_.term.fence, to_note_);
        to_note_.clear();
        for (auto const id : locked) {
            auto* one = find_waiting(id);
            if (one != nullptr && std::exchange(one->noted, false))
                not_noted_.emplace_back(scope_.term.time.now(), id);
        }
    }
}

// Records the states of slow rates, so that these executions may be sent.
awaitable<void> admissions::let_go()
{
    co_await scope_.term.until_active(transaction_need);
    auto const some = front(to_let_go_);
    auto const now = rate_time();
    auto const states = tree_.states_to_record(some, now);
    auto written = states;
    auto const ahead = now - scope_.term.clock.now(); // after a step of the clock
    for (auto& each : written)
        each.full_at -= ahead;
    co_await scope_.ledger.record_limit_states(scope_.term.fence, written);
    tree_.recorded(states);
    drop(to_let_go_, some.size());
    for (auto const id : some) {
        auto* one = scope_.open.find(id);
        if (one == nullptr || waits(id) || one->phase != phase::waiting)
            continue;
        send(*one);
    }
}

} // namespace baton::trigger
