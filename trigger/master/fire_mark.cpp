#include "trigger/master/fire_mark.hpp"

#include "libs/base/outage.hpp"

namespace baton::trigger {

namespace {
constexpr duration least_ahead = 1s;
constexpr duration mark_again = 50ms;
constexpr duration mark_takes = 100ms; // from the look at what is due to the commit
}

fire_mark::fire_mark(term_scope const& scope, duration edit_lead)
    : scope_(scope), ahead_(std::max(least_ahead, edit_lead + 2 * mark_takes)), bell_(scope.loop)
{}

std::optional<utc_time> next_mark(utc_time now, utc_time mark, std::optional<utc_time> next_due, duration ahead)
{
    auto const soon = now + ahead / 2;
    if (!next_due || *next_due > soon || mark >= soon)
        return std::nullopt;
    return now + ahead;
}

awaitable<void> fire_mark::read()
{
    limit_ = co_await scope_.ledger.fired_until(scope_.term.fence.name_space);
}

awaitable<void> fire_mark::run()
{
    for (;;) {
        auto next = next_mark(scope_.term.clock.now(), limit_, scope_.open.next_recorded_due(), ahead_);
        if (wanted_ > limit_)
            next = std::max(next.value_or(wanted_), wanted_);
        if (!next) {
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + mark_again);
            continue;
        }
        bool written = false;
        try {
            co_await scope_.term.until_active(transaction_need);
            co_await scope_.ledger.mark_fired(scope_.term.fence, *next);
            written = true;
        } catch (unavailable const& reason) {
            log::outage(reason, "assignment", "writing the mark of what is fired failed, trying again in 50 ms",
                        {log::reason(reason.what())});
        }
        if (written) {
            limit_ = std::max(limit_, *next);
            scope_.due_changed.wake();
        } else {
            co_await scope_.term.time.sleep_for(mark_again);
        }
    }
}

} // namespace baton::trigger
