#include "trigger/master/completions.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/write_group.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t completions_at_once = most_in_a_group;
constexpr int waiting_at_once = 2'000; // fixed-delay tasks
}

void completions::finished(protocol::finished const& what)
{
    auto const id = what.execution;
    auto* one = scope_.open.find(id);
    if (one == nullptr && what.status == protocol::state::succeeded)
        scope_.open.erase(id); // a reading in progress must not take it in
    if (one == nullptr || one->phase == phase::opening)
        return;
    if (one->attempt > what.attempt && what.status == protocol::state::succeeded)
        return done_earlier(*one, what.attempt);
    if (one->attempt != what.attempt)
        return;
    if (what.interrupted && !one->cancel_requested)
        return interrupted(*one);
    auto const most = protocol::attempts_allowed(what.final, what.attempt, one->max_attempts);
    auto const next = protocol::after_attempt(what.status, what.attempt, most, one->cancel_requested);
    if (next == protocol::state::retrying)
        deps_.next.retry(*one, scope_.term.clock.now());
    else
        deps_.queue.ended(id);
}

void completions::interrupted(open_execution& one)
{
    if (one.fails_interrupted())
        deps_.next.fail(one, "its client stopped while it was running");
    else
        deps_.next.open(one, scope_.term.clock.now(), protocol::attempt_cause::interrupted);
}

// An attempt that was given up has done it. The handler of the present one may run on, and keeps its places until then.
void completions::done_earlier(open_execution const& one, int attempt)
{
    bool const runs_on = one.at_client() && one.earlier_attempt != attempt;
    if (!runs_on || !outlived_)
        return deps_.queue.ended(one.id);
    outlived_(make_unresponsive(one, protocol::state::succeeded, {}));
    deps_.queue.ended_without_handler(one.id);
}

awaitable<void> completions::run()
{
    for (;;) {
        auto pause = duration{1s};
        try {
            co_await round();
            if (!over_next_.empty())
                pause = std::clamp<duration>(over_next_.begin()->first - scope_.term.time.now(), 1ms, pause);
            if (!looked_at_all_)
                pause = 1ms;
        } catch (unavailable const& reason) {
            log::outage(reason, "completions", "following the ends of executions failed, trying again in 1 s",
                        {log::reason(reason.what())});
        }
        co_await deps_.queue.wait_for_delayed(scope_.term.time, scope_.term.time.now() + pause);
    }
}

awaitable<void> completions::round()
{
    auto const now = scope_.term.time.now();
    bool const look = now - looked_at_ >= 1s;
    if (look) {
        looked_at_ = now;
        deps_.queue.add_later();
    }
    co_await resume();
    if (look || !looked_at_all_)
        co_await resume_missed();
}

void completions::replan()
{
    deps_.planner.wake();
    scope_.due_changed.wake();
}

// The estimate of the database's clock follows a step after ten seconds, and a smaller difference slowly. Until then an
// end that is dated after a step back lies in the past of the estimate, and without this the delay would be too short.
void completions::date_by_estimate(storage::delayed_task& row, utc_time asked)
{
    auto const ahead = asked - row.read_at;
    if (ahead > 0s)
        row.ended_at = std::min(row.ended_at, row.read_at) + ahead;
}

// The database has dated the end, and its clock may have been set back since.
utc_time completions::end_of(storage::delayed_task const& row)
{
    auto& clock = scope_.term.clock;
    return clock.stands_until() ? std::min(row.ended_at, clock.database_now()) : row.ended_at;
}

// True if the delay has not passed although cluster time, which stands still, is past its end. The boot clock tells
// when it has: then the task is due at once.
bool completions::pauses(storage::delayed_task const& row, utc_time& next)
{
    auto& clock = scope_.term.clock;
    auto const now = scope_.term.time.now();
    if (auto const known = pauses_.find(row.execution); known != pauses_.end()) {
        next = std::min(next, clock.now());
        return now < known->second;
    }
    auto const left = next - clock.database_now();
    if (left <= 0s || next > clock.now() || !clock.stands_until())
        return false;
    pauses_.emplace(row.execution, now + left);
    over_next_.emplace(now + left, row.execution);
    return true;
}

std::vector<execution_id> completions::take_paused()
{
    if (over_next_.empty() && !scope_.term.clock.stands_until())
        pauses_.clear(); // of tasks that were edited meanwhile
    std::vector<execution_id> over;
    auto const now = scope_.term.time.now();
    for (; over.size() < completions_at_once && !over_next_.empty() && over_next_.begin()->first <= now;
         over_next_.erase(over_next_.begin()))
        over.push_back(over_next_.begin()->second);
    return over;
}

// Nothing for a definition that this program cannot read: only that task stands still. Nothing either while its delay
// passes beside cluster time.
std::optional<storage::advance> completions::after_completion(storage::delayed_task const& row)
{
    try {
        auto const task = deps_.book.get(row.id, row.version, row.definition, row.created_at);
        storage::advance step;
        step.id = row.id;
        step.version = row.version;
        auto const most = task->definition.schedule.firing.max_firings;
        if (task->definition.enabled && (most == 0 || row.firings < most))
            step.next = task->timetable->after_completion(end_of(row));
        if (step.next && pauses(row, *step.next))
            return std::nullopt;
        step.waiting_for = row.execution;
        return step;
    } catch (invalid_input const& failure) {
        log::error("completions", "a fixed-delay task cannot be read, it will not fire again until it is edited",
                   {log::reason(failure.what()), {"task", row.id.value()}});
        return std::nullopt;
    }
}

awaitable<void> completions::resume()
{
    for (auto ended = deps_.queue.delayed(completions_at_once); !ended.empty();
         ended = deps_.queue.delayed(completions_at_once)) {
        co_await resume(scope_.ledger.delayed_ready(ended));
        deps_.queue.were_resumed(ended.size());
    }
    auto const over = take_paused();
    co_await resume(scope_.ledger.delayed_ready(over));
}

// Executions may have ended while there was no master, or their hints were lost.
awaitable<void> completions::resume_missed()
{
    co_await resume(scope_.ledger.delayed_ready(looked_up_to_, waiting_at_once));
    looked_at_all_ = looked_at_all_ || looked_up_to_ == execution_id{};
}

awaitable<void> completions::resume(awaitable<std::vector<storage::delayed_task>> reading)
{
    auto const asked = scope_.term.clock.database_now();
    auto ready = co_await std::move(reading);
    for (auto& each : ready)
        date_by_estimate(each, asked);
    for (std::size_t begin = 0; begin < ready.size(); begin += completions_at_once) {
        auto const end = std::min(begin + completions_at_once, ready.size());
        std::vector<storage::advance> steps;
        for (auto i = begin; i < end; ++i)
            if (auto const next = after_completion(ready[i]))
                steps.push_back(*next);
        if (steps.empty())
            continue;
        co_await write(steps);
        replan();
    }
}

// A task that the database refuses to move on is looked at again each second.
awaitable<void> completions::write(std::vector<storage::advance> const& all)
{
    auto const call = [&](std::vector<storage::advance> const& steps) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const locked = co_await scope_.ledger.resume_delayed(scope_.term.fence, steps);
        for (auto const& step : steps) {
            if (locked.contains(step.id))
                deps_.queue.resume_later(*step.waiting_for);
            else if (step.next)
                deps_.planner.look_from(*step.next);
        }
    };
    auto const outcome = co_await storage::write_in_halves(all, call);
    for (auto const& [step, why] : outcome.refused)
        if (told_.insert(step.id).second)
            log::error("completions", "the database refuses the next firing of a fixed-delay task, trying again",
                       {log::reason(why), {"task", step.id.value()}});
    if (outcome.refused.empty())
        told_.clear();
}

} // namespace baton::trigger
