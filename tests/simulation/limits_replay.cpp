#include "tests/simulation/limits_replay.hpp"

#include "tests/simulation/limits_oracle.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <tuple>

namespace limits_sim {

using namespace std::chrono_literals;

namespace {

constexpr duration step_of_priority = 10s;
constexpr duration pause_of_retry = 1'200ms;
constexpr duration on_the_way = 5ms;
constexpr duration soon = 150ms; // within which a master does what it must
constexpr char const* took_its_place = "a newer execution took its place";

} // namespace

replay::replay(record const& seen) : seen_(seen), levels_(seen), all_(seen.executions.size())
{
    put_events();
}

replay::rank replay::rank_of(index i) const
{
    return {seen_.executions[i].due - task_of(i).priority * step_of_priority, seen_.executions[i].id};
}

void replay::put_events()
{
    for (std::size_t number = 0; number < seen_.terms.size(); ++number) {
        events_.insert({seen_.terms[number].began, kind::begin, 0, number});
        events_.insert({seen_.terms[number].ended, kind::kill, 0, number});
    }
    for (std::size_t number = 0; number < seen_.edits.size(); ++number)
        events_.insert({seen_.edits[number].at, kind::edit, 0, number});
    for (index i = 0; i < all_.size(); ++i) {
        auto const& one = seen_.executions[i];
        events_.insert({one.due, kind::due, i, 0});
        if (auto const within = task_of(i).start_within; within > 0s)
            events_.insert({one.due + within + 20ms, kind::deadline, i, 0});
        for (std::size_t number = 0; number < one.attempts.size(); ++number) {
            if (auto const ended = one.attempts[number].ended)
                events_.insert({*ended, kind::end, i, number});
        }
    }
}

// Messages may take different times to the clients: those that begin within some milliseconds were sent together, in
// their order.
void replay::put_starts()
{
    std::multimap<utc_time, std::pair<index, std::size_t>> starts;
    std::set<utc_time> ends;
    for (index i = 0; i < all_.size(); ++i)
        for (std::size_t number = 0; number < seen_.executions[i].attempts.size(); ++number) {
            auto const& one = seen_.executions[i].attempts[number];
            starts.emplace(one.began, std::pair{i, number});
            if (one.ended)
                ends.insert(*one.ended);
        }
    auto const has_end_between = [&](utc_time from, utc_time until) { // which may have let the later one begin
        auto const first = ends.upper_bound(from);
        return first != ends.end() && *first <= until;
    };
    std::set<std::tuple<bool, rank, index, std::size_t>> sent;
    utc_time together{};
    auto const put = [&] {
        auto at = together;
        for (auto const& [fresh, order, i, number] : std::exchange(sent, {})) {
            events_.insert({at, kind::start, i, number});
            at += 1us;
        }
    };
    for (auto const& [at, which] : starts) {
        auto const [i, number] = which;
        if (at > together + on_the_way || free_at(i, number) > together || has_end_between(together, at)) {
            put();
            together = at;
        }
        sent.emplace(number == 0, rank_of(i), i, number);
    }
    put();
}

// When an attempt could begin at the earliest.
utc_time replay::free_at(index i, std::size_t number) const
{
    auto const& one = seen_.executions[i];
    return number == 0 ? one.due : one.attempts[number - 1].ended.value_or(one.due) + pause_of_retry;
}

std::string replay::differences()
{
    put_starts();
    for (auto const& what : events_) { // retries are added ahead of it
        if (what.at > seen_.end)
            break;
        now_ = what.at;
        check_idle();
        handle(what);
    }
    check_end();
    return wrong_;
}

void replay::handle(event const& what)
{
    switch (what.kind) {
    case kind::begin:
        return begin(what.number);
    case kind::kill:
        led_since_.reset();
        died_ = now_;
        return;
    case kind::edit: {
        auto const& edit = seen_.edits[what.number];
        return levels_.set_slots(seen_.scopes[edit.scope], edit.concurrency, now_);
    }
    case kind::due:
        return due(what.which);
    case kind::deadline:
        return deadline(what.which);
    case kind::start:
        return start(what.which, what.number);
    case kind::end:
        return end(what.which, what.number);
    case kind::retry:
        if (led_since_)
            return admit(what.which);
        all_[what.which].stage = stage::pending;
        return;
    }
}

void replay::due(index i)
{
    auto& one = all_[i];
    if (!led_since_) {
        one.stage = stage::pending;
        return;
    }
    if (is_too_late(i))
        return deadline(i);
    enter(i);
}

bool replay::is_too_late(index i) const
{
    auto const within = task_of(i).start_within;
    return within > 0s && may_skip(i) && seen_.executions[i].due + within <= now_;
}

void replay::enter(index i)
{
    auto const& policy = task_of(i);
    if (policy.limit == 0)
        return admit(i);
    auto& where = place_of(i);
    auto const limit = static_cast<std::size_t>(policy.limit);
    bool const has_room = where.holders.size() < limit && where.waiting.empty();
    if (has_room || seen_.executions[i].forced) {
        where.holders.emplace(rank_of(i), i);
        return admit(i);
    }
    auto const reason = fmt::format("as many executions as may be under way at a time ({}) were", limit);
    bool const queue_is_full = policy.queue != 0 && where.waiting.size() >= static_cast<std::size_t>(policy.queue);
    if (may_refuse(i) && policy.when_full == when_full::skip)
        return skip(i, reason);
    if (may_refuse(i) && queue_is_full)
        return skip(i, fmt::format("{}, and as many as may wait ({}) did", reason, policy.queue));
    if (policy.when_full == when_full::replace && !replace(i))
        return;
    where.waiting.emplace(rank_of(i), i);
    all_[i].stage = stage::gate;
    all_[i].since = now_;
    promote(where);
}

// The newest waits alone, and the oldest that is under way without force is asked to end. False: this one is older than
// those that are there.
bool replay::replace(index i)
{
    auto& where = place_of(i);
    auto const mine = std::pair(rank_of(i), i);
    auto const first = first_without_force(where); // of those under way
    bool const outdated =
        (!where.waiting.empty() && mine < *where.waiting.rbegin()) || (first != where.holders.end() && mine < *first);
    if (outdated) {
        skip(i, took_its_place);
        return false;
    }
    for (auto const& [at, other] : std::exchange(where.waiting, {}))
        skip(other, took_its_place);
    if (first == where.holders.end())
        return true;
    auto const eldest = *first;
    auto& oldest = all_[eldest.second];
    if (oldest.stage == stage::line && oldest.begun == seen_.executions[eldest.second].attempts.size()) {
        line_.erase(eldest.second); // it was cancelled before it was sent
        where.holders.erase(eldest);
        skip(eldest.second, took_its_place);
    } else if (!std::exchange(oldest.must_cancel, true)) {
        oldest.cancel_by = now_ + soon;
    }
    return true;
}

replay::ranks::iterator replay::first_without_force(place& in)
{
    return std::find_if(in.holders.begin(), in.holders.end(),
                        [&](auto const& one) { return !seen_.executions[one.second].forced; });
}

void replay::admit(index i)
{
    all_[i].stage = stage::line;
    all_[i].since = now_;
    line_.insert(i);
}

void replay::promote(place& in)
{
    while (!in.waiting.empty()) {
        auto const first = *in.waiting.begin();
        if (in.holders.size() >= static_cast<std::size_t>(task_of(first.second).limit))
            return;
        in.waiting.erase(in.waiting.begin());
        in.holders.insert(first);
        admit(first.second);
    }
}

void replay::skip(index i, std::string reason)
{
    all_[i].stage = stage::skipped;
    all_[i].reason = std::move(reason);
    all_[i].since = now_;
}

void replay::deadline(index i)
{
    if (!led_since_ || !waits(i) || !may_skip(i))
        return;
    line_.erase(i);
    auto& where = place_of(i);
    where.waiting.erase({rank_of(i), i});
    where.holders.erase({rank_of(i), i});
    skip(i, fmt::format("no client took it within {} ms (start_within)", task_of(i).start_within / 1ms));
    promote(where);
}

void replay::start(index i, std::size_t number)
{
    auto& one = all_[i];
    if (!led_since_)
        complain(i, "begins without a master");
    if (one.stage != stage::line)
        complain(i, "begins although it may not");
    else
        check_order(i);
    line_.erase(i);
    if (one.stage == stage::gate)
        place_of(i).waiting.erase({rank_of(i), i});
    for (auto* each : levels_.above(seen_.executions[i].task)) {
        each->used += one.fresh ? 1 : 0;
        each->take(now_);
    }
    one.fresh = false;
    one.begun = number + 1;
    one.stage = stage::running;
}

void replay::end(index i, std::size_t number)
{
    auto& one = all_[i];
    auto const& outcome = seen_.executions[i].attempts[number].outcome;
    one.failures += outcome == "failed" ? 1 : 0;
    if (outcome == "failed" && one.failures < task_of(i).attempts) {
        one.stage = stage::pause;
        events_.insert({now_ + pause_of_retry, kind::retry, i, 0});
        return;
    }
    one.stage = stage::over;
    for (auto* each : levels_.above(seen_.executions[i].task)) {
        --each->used;
        each->freed = now_;
    }
    auto& where = place_of(i);
    where.holders.erase({rank_of(i), i});
    if (led_since_)
        promote(where);
}

} // namespace limits_sim
