#include "trigger/master/execution_counter.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/protocol/slowdown.hpp"
#include "trigger/master/rest.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

using std::chrono::minutes;

constexpr duration before_first_count = 2s; // at the beginning a term has more urgent work
constexpr duration counted_after = 3s;      // so old an instant is before it is counted: its rows are committed by then
constexpr duration idle_pause = 2s;         // when all is counted
constexpr duration first_reach = 1h;        // how far back a cluster without counts begins
constexpr duration open_minute_wait = 1h;   // between two counts of a minute with open executions
constexpr duration reach = 24h;             // minutes that are older are counted no more
constexpr duration minutes_kept = 48h;
constexpr duration hours_kept = 24h * 400;
constexpr std::size_t piece = 5'000; // rows
constexpr int share_of_time = 5;     // percent of the time

} // namespace

std::optional<utc_time> next_count(counting const& last, utc_time term_began, duration oldest)
{
    auto const age = last.counted - last.end;
    std::optional<utc_time> next;
    if (age < 1min)
        next = last.end + 1min;
    else if (last.end < term_began && last.counted < term_began + 10min)
        next = term_began + 10min;
    else if (last.open > 0)
        next = last.counted + std::min<duration>(age, open_minute_wait);
    return next && *next - last.end <= oldest ? next : std::nullopt;
}

utc_time first_minute(utc_time now, std::optional<utc_time> oldest)
{
    auto const latest = now - counted_after;
    return std::chrono::floor<minutes>(oldest ? std::min<utc_time>(latest, *oldest) : latest);
}

execution_counter::execution_counter(retention_settings retention, term& term, storage::database& shared)
    : retention_(retention), term_(term), table_(shared, term.name_space), slow_(term, shared)
{}

execution_counter::walk execution_counter::begin(utc_time minute)
{
    walk one;
    one.minute = minute;
    one.place.scheduled_at = minute;
    return one;
}

awaitable<void> execution_counter::run()
{
    co_await term_.time.sleep_for(before_first_count);
    began_ = now();
    for (;;) {
        auto pause = idle_pause;
        try {
            co_await term_.until_active(transaction_need);
            auto const before = term_.time.now();
            if (!present_)
                co_await load();
            co_await turn();
            auto const took = term_.time.now() - before;
            pause = rest_after(took, share_of_time);
            if (!has_more())
                pause = std::max(pause, idle_pause);
        } catch (unavailable const& reason) {
            log::outage(reason, "overview", "counting executions failed, trying again",
                        {log::reason(reason.what()), {"pause_ms", idle_pause / 1ms}});
        }
        co_await term_.time.sleep_for(pause);
    }
}

// True while there is something to count that waits for no further time to pass.
bool execution_counter::has_more() const
{
    auto const last = present_->place.scheduled_at;
    bool const far_behind = std::max(last, present_->minute) + counted_after + idle_pause < now();
    return again_ || far_behind || (!due_.empty() && due_.begin()->first <= now());
}

// The newest minute of the table may not have been counted to its end.
awaitable<void> execution_counter::load()
{
    auto const counted = co_await table_.minutes(now() - reach);
    utc_time first;
    if (counted.empty()) {
        auto const oldest = co_await table_.first_since(now() - first_reach);
        first = first_minute(now(), oldest);
    }
    due_.clear();
    for (auto const& each : counted) {
        first = std::chrono::floor<minutes>(each.since);
        if (auto const next = next_count({first + 1min, began_ - 1s, each.open}, began_, reach))
            due_.emplace(*next, first);
    }
    present_ = begin(first);
}

awaitable<bool> execution_counter::advance(walk& one, utc_time until, std::optional<duration> long_run)
{
    auto const counted = co_await table_.count(one.place, until, piece, long_run);
    slow_.note(counted.long_runs);
    one.place = counted.last;
    for (auto const& [key, each] : counted.counts)
        one.counts[key] += each;
    co_return !counted.more;
}

awaitable<void> execution_counter::finish(walk& one)
{
    auto const end = one.minute + 1min;
    auto counts = one.counts;
    auto const skipped = co_await table_.skipped(one.minute, end);
    for (auto const& [key, each] : skipped)
        counts[key] += each;
    std::int64_t open = 0;
    for (auto const& [key, each] : counts)
        open += each.open;
    co_await table_.put(term_.fence, one.minute, std::move(counts), true);
    // Not when rows of the ledger may have been deleted, which would take them from the counts.
    auto const oldest = retention_.keep > 0s ? std::min<duration>(reach, retention_.keep / 2) : reach;
    if (auto const next = next_count({end, now(), open}, began_, oldest))
        due_.emplace(*next, one.minute);
}

// A piece of the present minute, or else of one that is counted again.
awaitable<void> execution_counter::turn()
{
    auto const end = present_->minute + 1min;
    auto const until = std::min<utc_time>(end, now() - counted_after);
    if (present_->place.scheduled_at < until - 1us) {
        auto const before = present_->counts;
        bool const reached = co_await advance(*present_, until, std::nullopt);
        shown_ = shown_ && before == present_->counts;
        if (!reached)
            co_return;
        if (until == end) {
            co_await finish(*present_);
            present_ = begin(std::chrono::floor<minutes>(end));
            shown_ = true;
            co_return;
        }
        if (!shown_)
            co_await table_.put(term_.fence, present_->minute, present_->counts, false);
        shown_ = true;
    }
    bool const counted = co_await recount();
    if (counted)
        co_return;
    if (term_.time.now() >= forget_at_)
        co_await forget();
    else
        co_await slow_.turn();
}

awaitable<bool> execution_counter::recount()
{
    if (!again_ && !due_.empty() && due_.begin()->first <= now()) {
        again_ = begin(due_.begin()->second);
        due_.erase(due_.begin());
    }
    if (!again_)
        co_return false;
    auto const end = again_->minute + 1min;
    bool const reached = co_await advance(*again_, end, protocol::slow_margin);
    if (reached) {
        co_await finish(*again_);
        again_.reset();
    }
    co_return true;
}

awaitable<void> execution_counter::forget()
{
    bool const minutes_left = co_await table_.forget(storage::count_span::minute, now() - minutes_kept, 100);
    bool const hours_left = co_await table_.forget(storage::count_span::hour, now() - hours_kept, 100);
    if (!minutes_left && !hours_left)
        forget_at_ = term_.time.now() + 10min;
}

} // namespace baton::trigger
