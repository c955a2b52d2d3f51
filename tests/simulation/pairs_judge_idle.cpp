#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <climits>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>

// No limit keeps an execution back while it has unused slots.

namespace pairs_sim {

namespace {

constexpr duration unused_for = 800ms;
constexpr duration node_ttl = 4s;
// A dead client whose home is dead, too, is asked in vain for both times; readings and rounds of a second come on top.
constexpr duration after_events = client_ttl + node_ttl + 2s;
constexpr duration of_a_question = 3s; // until it is known that a handler has returned after its execution has ended

struct span {
    utc_time from, until;
    bool meets(utc_time begin, utc_time end) const { return begin < until && end > from; }
};

// From the first call of an execution to its end and that of its handlers.
struct occupancy {
    execution_row const* row;
    std::string project, service;
    span when;
};

struct idle {
    explicit idle(look const& all);

    look const& at;
    std::vector<occupancy> all{};
    violations found{};

    void check(execution_row const& one, drawn_task const& task);
    bool is_quiet(span when, std::string const& project) const;
    int limit_in(execution_row const& one, span when) const;
    int most_at_once(span when, std::function<bool(occupancy const&)> const& concerns) const;
    bool scope_has_room(span when, occupancy const& mine) const;
    bool could_be_sent(drawn_task const& task) const;
};

idle::idle(look const& facts_of) : at(facts_of)
{
    for (auto const& row : at.seen.rows) {
        auto const calls = at.calls.find(row.id);
        auto const* version = at.version_of(row);
        if (calls == at.calls.end() || version == nullptr)
            continue;
        auto const ended = row.ended_at.value_or(at.seen.end);
        auto returned = at.end_of(*calls->second.front());
        for (auto const* call : calls->second)
            returned = std::max(returned, at.end_of(*call));
        auto const end = std::max(ended, returned);
        // Its report has not come either, where an execution is ended for a handler that has returned.
        bool const is_given_up = row.state == "cancelled" || row.state == "timed_out";
        bool const is_asked = returned > ended || (is_given_up && ended > returned + 100ms);
        all.push_back({&row,
                       version->definition.at("project"),
                       version->definition.at("service"),
                       {calls->second.front()->began, end + (is_asked ? of_a_question : 100ms)}});
    }
}

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
        if (!when.meets(v->created_at, until + 300ms))
            continue;
        limit = std::min(limit, v->definition.at("concurrency").value("limit", 0));
    }
    return limit;
}

int idle::most_at_once(span when, std::function<bool(occupancy const&)> const& concerns) const
{
    std::vector<span> near;
    for (auto const& each : all)
        if (when.meets(each.when.from, each.when.until) && concerns(each))
            near.push_back(each.when);
    int most = 0;
    for (auto moment = when.from; moment < when.until; moment += 50ms)
        most = std::max(most, static_cast<int>(std::ranges::count_if(
                                  near, [&](span const& each) { return each.meets(moment, moment + 50ms); })));
    return most;
}

bool idle::scope_has_room(span when, occupancy const& mine) const
{
    if (at.seen.scopes.empty())
        return true;
    auto const& scope = at.seen.scopes.front();
    auto const concerns = [&](occupancy const& each) {
        return each.project == scope.project && (scope.service.empty() || each.service == scope.service);
    };
    int slots = INT_MAX;
    for (auto const& each : at.seen.scopes)
        slots = std::min(slots, each.slots);
    return !concerns(mine) || most_at_once(when, concerns) < slots;
}

void idle::check(execution_row const& one, drawn_task const& task)
{
    auto const mine = std::ranges::find_if(all, [&](occupancy const& each) { return each.row == &one; });
    auto const taken = at.taken.find(one.id);
    if (mine == all.end() || taken == at.taken.end())
        return;
    auto const first = taken->second;
    span const before{first - unused_for, first - 100ms};
    auto const due = std::max(one.scheduled_at, one.created_at);
    if (before.from < due + 100ms || before.until > at.seen.judged_until || !is_quiet(before, task.project))
        return;
    auto const limit = limit_in(one, before);
    auto const used = most_at_once(before, [&](occupancy const& each) {
        return each.row->task == one.task && (!task.has(item::keyed) || each.row->key == one.key);
    });
    auto const busy = most_at_once(
        before, [&](occupancy const& each) { return each.project == mine->project && each.service == mine->service; });
    constexpr int slots_of_clients = 6; // those of one are enough to run it
    if (limit == 0 || used >= limit || busy >= slots_of_clients || !scope_has_room(before, *mine))
        return;
    found.push_back({3, task.number, one.id,
                     fmt::format("waits until {} although for {} ms only {} of {} slots of its task were in use",
                                 clock_of(at.seen, first), unused_for / 1ms, used, limit)});
}

} // namespace

violations judge_idle(facts const& seen)
{
    look const at(seen);
    idle judge(at);
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
