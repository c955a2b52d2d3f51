#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <climits>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>

// No limit keeps an execution back while it has unused slots.

namespace pairs_sim {

namespace {

constexpr duration unused_for = 1'500ms;
constexpr duration after_events = 10s;

struct span {
    utc_time from, until;
    bool meets(utc_time begin, utc_time end) const { return begin < until && end > from; }
};

struct idle {
    look const& at;
    violations found{};

    void check(execution_row const& one, drawn_task const& task);
    bool is_quiet(span when, std::string const& project) const;
    int limit_in(execution_row const& one, span when) const;
    int holders(span when, std::function<bool(execution_row const&)> const& concerns) const;
    bool scope_has_room(span when, std::string const& service) const;
    bool could_be_sent(drawn_task const& task) const;
};

// Only the limit of concurrency decides when they are sent.
bool idle::could_be_sent(drawn_task const& task) const
{
    for (auto const each : task.features)
        if (kind_of(each) == item_kind::feature &&
            (group_of(each) == group_of(item::instance) || group_of(each) == group_of(item::retry_same)))
            return false;
    return !task.has(item::tag) && !task.has(item::task_rate) && !task.has(item::service_rate) &&
           !task.has(item::jitter) && !task.has(item::after);
}

bool idle::is_quiet(span when, std::string const& project) const
{
    return std::ranges::none_of(
               at.seen.events,
               [&](happened_event const& each) { return when.meets(each.began - 1s, each.ended + after_events); }) &&
           std::ranges::none_of(at.seen.pauses, [&](pause_row const& each) {
               return each.project == project && when.meets(each.since - 1s, each.ended_at.value_or(at.seen.end) + 4s);
           });
}

// The lowest limit of the versions that were in force; none if one of them had no limit.
int idle::limit_in(execution_row const& one, span when) const
{
    auto const versions = at.versions.find(one.task);
    int limit = INT_MAX;
    for (auto v = versions->second.begin(); v != versions->second.end(); ++v) {
        auto const next = std::next(v);
        auto const until = next == versions->second.end() ? at.seen.end : next->valid_from;
        if (!when.meets(v->created_at, until + 1s))
            continue;
        limit = std::min(limit, v->definition.at("concurrency").value("limit", 0));
    }
    return limit;
}

int idle::holders(span when, std::function<bool(execution_row const&)> const& concerns) const
{
    int count = 0;
    for (auto const& row : at.seen.rows) {
        auto const calls = at.calls.find(row.id);
        if (calls == at.calls.end() || !concerns(row))
            continue;
        auto end = row.ended_at.value_or(at.seen.end);
        for (auto const* call : calls->second)
            end = std::max(end, at.end_of(*call));
        count += when.meets(calls->second.front()->began, end + 500ms) ? 1 : 0;
    }
    return count;
}

bool idle::scope_has_room(span when, std::string const& service) const
{
    int slots = INT_MAX;
    for (auto const& each : at.seen.scopes)
        slots = std::min(slots, each.slots);
    if (at.seen.scopes.empty() ||
        (service != at.seen.scopes.front().service && !at.seen.scopes.front().service.empty()))
        return true;
    return holders(when, [&](execution_row const& row) {
               auto const* task = at.task_of(row.task);
               return task != nullptr && task->project == at.seen.scopes.front().project;
           }) < slots;
}

void idle::check(execution_row const& one, drawn_task const& task)
{
    auto const taken = at.taken.find(one.id);
    auto const first = taken == at.taken.end() ? one.ended_at.value_or(at.seen.end) : taken->second;
    span const before{first - unused_for, first - 100ms};
    auto const due = std::max(one.scheduled_at, one.created_at);
    if (before.from < due + 100ms || before.until > at.seen.judged_until || !is_quiet(before, task.project))
        return;
    auto const limit = limit_in(one, before);
    auto const used = holders(before, [&](execution_row const& row) {
        return row.task == one.task && (!task.has(item::keyed) || row.key == one.key);
    });
    auto const busy = holders(before, [&](execution_row const& row) {
        auto const* other = at.task_of(row.task);
        return other != nullptr && other->project == task.project;
    });
    constexpr int slots_of_clients = 6; // those of one are enough to run it
    if (limit == 0 || used >= limit || busy >= slots_of_clients || !scope_has_room(before, task.service))
        return;
    found.push_back({3, task.number, one.id,
                     fmt::format("waits until {} although for {} ms only {} of {} slots of its task were in use",
                                 clock_of(at.seen, first), unused_for / 1ms, used, limit)});
}

} // namespace

violations judge_idle(facts const& seen)
{
    look const at(seen);
    idle judge{at};
    if (at.clock_stepped())
        return {};
    for (auto const& one : seen.rows) {
        auto const* task = at.task_of(one.task);
        bool const is_fresh = one.cause == "schedule" || one.cause == "manual";
        if (task != nullptr && is_fresh && one.state != "skipped" && one.state != "cancelled" &&
            at.versions.contains(one.task) && judge.could_be_sent(*task))
            judge.check(one, *task);
    }
    return judge.found;
}

} // namespace pairs_sim
