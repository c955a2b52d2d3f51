#include "trigger/master/stopped_tasks.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

namespace baton::trigger {

namespace {

constexpr duration look_for_stops = 1s;
constexpr duration known_for = look_for_stops + 500ms; // the time for an answer included
constexpr duration sent_after_line = 1s;               // after the line: a firing just before it goes out as usual
constexpr duration stop_is_kept = 1min; // executions that were being read or were in doubt are in memory by then
constexpr std::size_t stops_in_a_round = 1'000; // the next round goes on behind them
constexpr std::size_t stopped_at_once = 5'000;  // executions taken in one step of the loop

bool may_run_on(open_execution const& one)
{
    return one.begun || one.parent;
}

} // namespace

awaitable<void> stopped_tasks::read()
{
    read_at_ = scope_.term.time.now(); // the take-over may take long: what is stopped meanwhile is not known after it
    std::optional<storage::stopped_task> last;
    for (bool more = true; more;) {
        auto const stops = co_await scope_.ledger.stopped_tasks(utc_time::max(), last, stops_in_a_round);
        for (auto const& stop : stops)
            note(stop);
        more = stops.size() == stops_in_a_round;
        if (more)
            last = stops.back();
    }
}

// The latest stop of a task covers the versions of the earlier ones.
void stopped_tasks::note(storage::stopped_task const& stop)
{
    auto const [place, added] = known_.try_emplace(stop.task, stop);
    if (!added && place->second.version < stop.version)
        place->second = stop;
}

bool stopped_tasks::cancel_if_stopped(open_execution& one)
{
    auto const found = known_.find(one.task->id);
    if (found == known_.end() || one.task->version >= found->second.version || may_run_on(one) ||
        scope_.term.clock.now() < found->second.line + sent_after_line)
        return false;
    next_.cancel(one, found->second.reason);
    return true;
}

bool stopped_tasks::is_behind() const
{
    return scope_.term.time.now() - read_at_ > known_for;
}

awaitable<void> stopped_tasks::run()
{
    auto const step = [this]() -> awaitable<void> {
        if (loaded_)
            co_await round();
    };
    co_await every("cancelling executions of disabled and deleted tasks", scope_.term.time, look_for_stops, step);
}

awaitable<void> stopped_tasks::round()
{
    auto const asked = scope_.term.time.now();
    auto const now = scope_.term.clock.now();
    auto const stops = co_await scope_.ledger.stopped_tasks(now - sent_after_line, last_, stops_in_a_round);
    bool const more = stops.size() == stops_in_a_round;
    last_ = more ? std::optional(stops.back()) : std::nullopt;
    if (!more)
        read_at_ = asked;
    std::vector<storage::stopped_task> done;
    for (auto const& stop : stops) {
        note(stop);
        while (cancel_waiting(stop) == stopped_at_once)
            co_await asio::post(scope_.loop, asio::use_awaitable); // a long queue must not keep the loop
        if (stop.line + stop_is_kept < now)
            done.push_back(stop);
    }
    if (done.empty())
        co_return;
    co_await scope_.term.until_active(transaction_need);
    co_await scope_.ledger.forget_stopped(scope_.term.fence, done);
    for (auto const& stop : done)
        if (auto const found = known_.find(stop.task); found != known_.end() && found->second.version == stop.version)
            known_.erase(found);
}

// Returns how many; fewer than `stopped_at_once` if none is left.
std::size_t stopped_tasks::cancel_waiting(storage::stopped_task const& stop)
{
    std::vector<open_execution*> some;
    scope_.open.each_waiting_of(stop.task, [&](open_execution& one) {
        if (one.task->version < stop.version && !may_run_on(one))
            some.push_back(&one);
        return some.size() < stopped_at_once;
    });
    for (auto* const one : some)
        next_.cancel(*one, stop.reason);
    if (!some.empty())
        log::info("executions", "executions that were not sent are cancelled",
                  {{"task", stop.task.value()}, {"executions", some.size()}, log::reason(stop.reason)});
    return some.size();
}

} // namespace baton::trigger
