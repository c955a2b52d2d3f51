#include "trigger/master/admissions.hpp"

#include "libs/base/log.hpp"
#include "trigger/master/write_group.hpp"

namespace baton::trigger {

namespace {

constexpr duration marked_after = 1s;  // one that waits for less costs no write
constexpr duration look_again = 200ms; // after a write that failed
constexpr char const* took_its_place = "a newer execution took its place";

concurrency_gate::place place_of(open_execution const& one)
{
    auto const& task = one.task->definition;
    return {one.task->id, protocol::key_hash(task.concurrency, one.payload ? *one.payload : task.payload)};
}

bool is_limited(open_execution const& one)
{
    return one.task->definition.concurrency.limit != 0 && !one.parent; // a broadcast counts once, for all its shards
}

std::string reason_of_skip(protocol::concurrency_policy const& policy)
{
    auto const so_many = "as many executions as may be under way at a time (" + std::to_string(policy.limit) + ") were";
    return policy.queue == 0 ? so_many
                             : so_many + ", and as many as may wait (" + std::to_string(policy.queue) + ") did";
}

} // namespace

admissions::admissions(term_scope const& scope, attempts& next) : scope_(scope), next_(next), bell_(scope.loop) {}

bool admissions::admit(open_execution& one)
{
    if (!is_limited(one))
        return true;
    if (!loaded_) {
        early_.push_back(one.id);
        return false;
    }
    auto const& policy = one.task->definition.concurrency;
    if (gate_.holds(one.id) && !one.marked) {
        admitted(gate_.release_if_full(one.id, policy.limit)); // the places of a former term may be too many
        if (gate_.holds(one.id))
            return true;
    }
    auto const ruling = gate_.enter(place_of(one), policy, {one.id, one.scheduled_at, one.attempt == 1});
    carry_out(ruling);
    switch (ruling.what) {
    case concurrency_gate::verdict::skipped:
        next_.skip(one, reason_of_skip(policy));
        return false;
    case concurrency_gate::verdict::waits:
        wait_here(one);
        return false;
    case concurrency_gate::verdict::admitted:
        break;
    }
    if (one.marked) {
        to_unmark_.push_back(one.id);
        bell_.wake();
        return false;
    }
    one.admitted_at = scope_.term.clock.now();
    return true;
}

void admissions::wait_here(open_execution const& one)
{
    if (!one.marked)
        unmarked_.emplace_back(scope_.term.time.now(), one.id);
    bell_.wake();
}

void admissions::carry_out(concurrency_gate::ruling const& ruling)
{
    for (auto const id : ruling.skip) {
        auto* other = scope_.open.find(id);
        if (other != nullptr && other->attempt == 1)
            next_.skip(*other, took_its_place);
        else if (other != nullptr)
            to_cancel_.push_back(id);
    }
    to_cancel_.insert(to_cancel_.end(), ruling.cancel.begin(), ruling.cancel.end());
    if (!to_cancel_.empty())
        bell_.wake();
}

void admissions::under_way(open_execution const& one)
{
    if (is_limited(one))
        gate_.hold(place_of(one), {one.id, one.scheduled_at});
}

void admissions::still_runs(storage::unresponsive_row const& row, known_task const& task)
{
    auto const& policy = task.definition.concurrency;
    if (policy.limit == 0)
        return;
    auto const payload = row.payload ? protocol::json_text::checked(*row.payload) : task.definition.payload;
    gate_.hold({task.id, protocol::key_hash(policy, payload)}, {row.id, row.scheduled_at});
}

void admissions::absent(open_execution const& one)
{
    admitted(gate_.release_if_full(one.id, one.task->definition.concurrency.limit));
}

void admissions::ended(execution_id id)
{
    admitted(gate_.leave(id));
}

void admissions::admitted(std::vector<execution_id> const& ids)
{
    for (auto const id : ids) {
        auto* one = scope_.open.find(id);
        if (one == nullptr || one->phase != phase::waiting)
            continue;
        if (one->marked)
            to_unmark_.push_back(id);
        else
            send(*one);
    }
    if (!to_unmark_.empty())
        bell_.wake();
}

void admissions::send(open_execution& one)
{
    one.admitted_at = scope_.term.clock.now();
    scope_.open.wait(one, scope_.term.clock.now());
    scope_.due_changed.wake();
}

void admissions::all_loaded()
{
    loaded_ = true;
    for (auto const id : std::exchange(early_, {}))
        if (auto* one = scope_.open.find(id); one != nullptr && one->phase == phase::waiting)
            scope_.open.wait(*one, scope_.term.clock.now());
    scope_.due_changed.wake();
}

awaitable<void> admissions::run()
{
    for (;;) {
        auto next = scope_.term.time.now() + 1h;
        try {
            co_await round();
            if (!unmarked_.empty())
                next = unmarked_.front().first + marked_after;
        } catch (unavailable const& reason) {
            log::warn("admissions", "writing which executions wait failed, trying again in 200 ms",
                      {log::reason(reason.what())});
            next = scope_.term.time.now() + look_again;
        }
        co_await bell_.wait_until(scope_.term.time, next);
    }
}

awaitable<void> admissions::round()
{
    while (!to_cancel_.empty())
        co_await cancel_replaced();
    co_await mark();
    while (!to_unmark_.empty())
        co_await unmark();
}

awaitable<void> admissions::cancel_replaced()
{
    co_await scope_.term.until_active(transaction_need);
    auto const some = front(to_cancel_);
    co_await scope_.ledger.request_cancel(scope_.term.fence, some, took_its_place);
    drop(to_cancel_, some.size());
    for (auto const id : some)
        scope_.open.request_cancel(id);
}

// Those that have waited for long enough and still do. `looked_at` are taken from the front.
std::vector<execution_id> admissions::to_mark(std::size_t& looked_at)
{
    std::vector<execution_id> some;
    looked_at = 0;
    auto const now = scope_.term.time.now();
    for (auto const& [since, id] : unmarked_) {
        if (since + marked_after > now || some.size() == most_in_a_group)
            break;
        ++looked_at;
        auto* one = scope_.open.find(id);
        if (one != nullptr && one->phase == phase::waiting && gate_.waits(id))
            some.push_back(id);
    }
    return some;
}

// Memory has the mark before the ledger: one that is admitted meanwhile must lose it there before it is sent.
awaitable<void> admissions::mark()
{
    std::size_t looked_at = 0;
    for (;;) {
        auto const some = to_mark(looked_at);
        if (looked_at == 0)
            co_return;
        for (auto const id : some)
            scope_.open.find(id)->marked = true;
        if (!some.empty()) {
            co_await scope_.term.until_active(transaction_need);
            co_await scope_.ledger.set_waiting(scope_.term.fence, some, true);
        }
        unmarked_.erase(unmarked_.begin(), unmarked_.begin() + static_cast<std::ptrdiff_t>(looked_at));
    }
}

awaitable<void> admissions::unmark()
{
    co_await scope_.term.until_active(transaction_need);
    auto const some = front(to_unmark_);
    co_await scope_.ledger.set_waiting(scope_.term.fence, some, false);
    drop(to_unmark_, some.size());
    for (auto const id : some) {
        auto* one = scope_.open.find(id);
        if (one == nullptr || !gate_.holds(id) || one->phase != phase::waiting)
            continue;
        one->marked = false;
        send(*one);
    }
}

} // namespace baton::trigger
