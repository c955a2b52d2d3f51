#include "trigger/master/execution_limits.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t limits_at_once = 1'000; // in one step of the loop
constexpr duration limit_pause = 500ms;       // at one that is on its way, or in doubt
constexpr duration without_limits = 1h;       // without any limit ahead

} // namespace

void execution_limits::put(utc_time at, execution_id id, limit_kind kind)
{
    entry const one{at, id, kind};
    queue_.insert(one);
    entries_[id].push_back(one);
    bell_.wake();
}

void execution_limits::watch(open_execution const& one)
{
    if (!one.task->definition.limits.any())
        return;
    for (auto const kind : {limit_kind::start, limit_kind::total})
        if (auto const at = limit_of(one, kind))
            put(*at, one.id, kind);
}

void execution_limits::forget(execution_id id)
{
    auto const found = entries_.find(id);
    if (found == entries_.end())
        return;
    for (auto const& each : found->second)
        queue_.erase(each);
    entries_.erase(found);
}

bool execution_limits::expired(open_execution& one, utc_time now)
{
    if (!one.task->definition.limits.any())
        return false;
    for (auto const kind : {limit_kind::total, limit_kind::start}) {
        auto const at = limit_of(one, kind);
        auto const step = at && *at <= now ? step_at_limit(one, kind) : limit_step::none;
        if (step == limit_step::none)
            continue;
        end(one, kind, step);
        return true;
    }
    return false;
}

void execution_limits::end(open_execution& one, limit_kind kind, limit_step step)
{
    auto const reason = reason_of_limit(one, kind);
    switch (step) {
    case limit_step::skip:
        return next_.skip(one, reason);
    case limit_step::fail:
        return next_.fail(one, reason);
    case limit_step::time_out:
        return next_.fail(one, reason, protocol::state::timed_out);
    case limit_step::abandon:
        return ends_.end_now(make_unresponsive(one, protocol::state::timed_out, reason));
    case limit_step::look_again:
    case limit_step::none:
        break;
    }
}

awaitable<void> execution_limits::run()
{
    for (;;) {
        auto const now = scope_.term.clock.now();
        auto const next = carry_out(now);
        co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + std::max<duration>(next - now, 1ms));
    }
}

// An edit that may take this firing back has locked its row.
bool execution_limits::is_edited(open_execution const& one) const
{
    return one.phase == phase::waiting && one.scheduled && scope_.open.edits().hold(one.task->id, one.scheduled_at);
}

// Returns when to look again.
utc_time execution_limits::carry_out(utc_time now)
{
    for (std::size_t i = 0; i < limits_at_once && !queue_.empty() && std::get<utc_time>(*queue_.begin()) <= now; ++i) {
        auto const [at, id, kind] = *queue_.begin();
        queue_.erase(queue_.begin());
        auto& entries = entries_[id];
        std::erase(entries, entry{at, id, kind});
        if (entries.empty())
            entries_.erase(id);
        auto* one = scope_.open.find(id);
        auto const step = one == nullptr ? limit_step::none : step_at_limit(*one, kind);
        if (step == limit_step::none)
            continue;
        if (!is_edited(*one))
            end(*one, kind, step);
        if (scope_.open.find(id) != nullptr)
            put(now + limit_pause, id, kind); // until it has ended
    }
    return queue_.empty() ? now + without_limits : std::get<utc_time>(*queue_.begin());
}

} // namespace baton::trigger
