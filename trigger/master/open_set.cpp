#include "trigger/master/open_set.hpp"

#include "libs/schedule/misfire.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// Of a firing: the instant that its jitter has moved.
utc_time first_due(open_execution const& one)
{
    return protocol::due_instant(one.task->definition.schedule.firing, one.scheduled_at);
}

constexpr duration until_result = 30s;  // a result comes within a second, unless the database takes none
constexpr duration until_reported = 2s; // clients report a run after a second (docs/protocol.md)
constexpr duration while_edited = 50ms; // until a firing that an edit may take back is looked at again

constexpr std::size_t without_growing = 200'000; // executions: growing beyond 100,000 is a step of the loop of 24 ms

// Whether an execution in this phase belongs to the backlog of its service.
bool counts(phase which)
{
    return which != phase::held && which != phase::runs_earlier;
}

// Whether a node or client has an execution in this phase.
bool is_at_a_place(phase which)
{
    return which == phase::assigned || which == phase::held || which == phase::runs_earlier;
}

} // namespace

open_set::open_set(time_source const& time) : time_(time)
{
    executions_.reserve(without_growing);
    under_way_.reserve(without_growing);
}

bool open_set::add(open_execution one, reading const& as_of)
{
    if (as_of.ended(one.id))
        return false;
    if (as_of.edited(one)) {
        stale_.push_back(one.id);
        return false;
    }
    auto const [place, added] = executions_.try_emplace(one.id, std::move(one));
    if (!added)
        return false;
    auto& kept = place->second;
    kept.phase = phase::waiting;
    kept.service = &protocol::value_of(services_, protocol::service_of(kept.task->definition));
    ++kept.service->backlog;
    wait(kept, kept.due_at);
    bool cancel = std::exchange(kept.cancel_requested, false) || as_of.to_cancel_.contains(kept.id);
    if (kept.parent) {
        shards_[*kept.parent].insert(kept.id);
        auto const* parent = find(*kept.parent);
        cancel = cancel || (parent != nullptr && parent->cancel_requested);
    }
    if (cancel)
        request_cancel(kept);
    if (added_)
        added_(kept);
    return true;
}

bool open_set::is_forced(open_execution const& one) const
{
    if (one.forced || !one.parent)
        return one.forced;
    auto const parent = executions_.find(*one.parent);
    return parent != executions_.end() && parent->second.forced;
}

void open_set::erase(execution_id id)
{
    for (auto* each : readings_)
        each->ended_.insert(id);
    auto const found = executions_.find(id);
    if (found == executions_.end())
        return;
    auto& one = found->second;
    leave(one);
    charge(one, nullptr);
    charge_named(one, nullptr);
    if (auto const siblings = one.parent ? shards_.find(*one.parent) : shards_.end(); siblings != shards_.end()) {
        siblings->second.erase(id);
        if (siblings->second.empty())
            shards_.erase(siblings);
    }
    under_way_.erase(id);
    executions_.erase(found);
    if (ended_)
        ended_(id);
}

// The indexes by place, and the count of the service.
void open_set::leave(open_execution const& one)
{
    auto const remove = [&](auto& index, auto const& key) {
        auto const found = index.find(key);
        if (found == index.end())
            return;
        found->second.erase(one.id);
        if (found->second.empty())
            index.erase(found);
    };
    if (counts(one.phase))
        --one.service->backlog;
    if (is_at_a_place(one.phase))
        remove(places_, one.where);
    else if (one.phase == phase::in_doubt)
        remove(in_doubt_, protocol::service_of(one.task->definition));
    else if (one.phase == phase::waiting)
        (one.scheduled ? waiting_firings_ : waiting_runs_).erase(firing(one));
    if (one.report_by != instant{})
        unreported_.erase({one.report_by, one.id});
}

void open_set::enter(open_execution const& one)
{
    if (counts(one.phase))
        ++one.service->backlog;
    if (is_at_a_place(one.phase))
        places_[one.where].insert(one.id);
    else if (one.phase == phase::in_doubt)
        protocol::value_of(in_doubt_, protocol::service_of(one.task->definition)).insert(one.id);
    else if (one.phase == phase::waiting)
        (one.scheduled ? waiting_firings_ : waiting_runs_).insert(firing(one));
}

void open_set::request_cancel(open_execution& one)
{
    if (!std::exchange(one.cancel_requested, true))
        cancel_requests_.push_back(one.id);
}

void open_set::request_cancel(execution_id id)
{
    for (auto* each : readings_)
        each->to_cancel_.insert(id);
    if (auto* one = find(id))
        request_cancel(*one);
    if (auto const of_broadcast = shards_.find(id); of_broadcast != shards_.end())
        for (auto const shard : of_broadcast->second)
            request_cancel(executions_.at(shard));
}

void open_set::edited(task_id task)
{
    for (auto* each : readings_)
        each->edited_.insert(task);
}

std::vector<execution_id> open_set::waiting_firings(task_id task, utc_time from) const
{
    std::vector<execution_id> found;
    for (auto at = waiting_firings_.lower_bound({task, from, execution_id{}});
         at != waiting_firings_.end() && std::get<task_id>(*at) == task; ++at)
        found.push_back(std::get<execution_id>(*at));
    return found;
}

std::optional<task_id> open_set::next_waiting_task(task_id last) const
{
    std::optional<task_id> found;
    for (auto const* all : {&waiting_firings_, &waiting_runs_}) {
        auto const next = all->lower_bound({task_id{last.value() + 1}, utc_time{duration::min()}, execution_id{}});
        if (next != all->end())
            found = std::min(found.value_or(std::get<task_id>(*next)), std::get<task_id>(*next));
    }
    return found;
}

bool open_set::is_misfire(open_execution const& one, utc_time now) const
{
    auto const& policy = one.task->definition.misfire;
    auto const kind = one.task->definition.schedule.kind;
    bool const delayed = kind == protocol::schedule_kind::fixed_delay || kind == protocol::schedule_kind::after;
    auto const due = first_due(one);
    if (delayed || !schedule::is_late(policy, due, now))
        return false;
    auto missing = schedule::successors_to_skip(policy, due, now);
    auto next = waiting_firings_.upper_bound(firing(one));
    for (; missing > 0 && next != waiting_firings_.end(); ++next) {
        if (std::get<task_id>(*next) != one.task->id || std::get<utc_time>(*next) > now)
            return false;
        if (first_due(executions_.at(std::get<execution_id>(*next))) <= now)
            --missing;
    }
    return missing == 0;
}

bool open_set::is_left_out(open_execution const& one, utc_time now) const
{
    auto const& policy = one.task->definition.misfire;
    bool const kept_back = one.noted || (one.admitted_at && !schedule::is_late(policy, *one.admitted_at, now));
    return one.scheduled && !one.begun && !kept_back && is_misfire(one, now);
}

bool open_set::expects(execution_id id) const
{
    return std::ranges::any_of(readings_, [&](auto const* each) { return each->expected_.contains(id); });
}

open_execution* open_set::find(execution_id id)
{
    auto const found = executions_.find(id);
    return found == executions_.end() ? nullptr : &found->second;
}

utc_time open_set::place_in_line(execution_id id) const
{
    auto const found = executions_.find(id);
    return found == executions_.end() ? utc_time{} : found->second.place_in_line();
}

void open_set::move(open_execution& one, phase to, std::string where)
{
    leave(one);
    one.phase = to;
    one.ready = false; // an entry of the ready queue, if any, is void
    if (to == phase::waiting)
        under_way_.erase(one.id);
    else
        under_way_.emplace(one.id, &one);
    one.where = std::move(where);
    one.since = time_.now();
    one.report_by = {};
    enter(one);
    if (to == phase::held && one.task->definition.timeout != 0s && one.timed_attempt != one.attempt)
        expect_report(one, one.since + one.task->definition.timeout + until_reported);
    if (to == phase::held && one.named != nullptr)
        one.named->refused = false;
    if (!is_at_a_place(to)) {
        charge(one, nullptr);
        charge_named(one, nullptr);
    }
}

void open_set::expect_report(open_execution& one, instant by)
{
    one.report_by = by;
    unreported_.emplace(by, one.id);
}

void open_set::run_is_known(open_execution& one)
{
    unreported_.erase({std::exchange(one.report_by, instant{}), one.id});
}

void open_set::expect_result(open_execution& one)
{
    one.note_failure_told(time_.now());
    run_is_known(one);
    expect_report(one, time_.now() + until_result);
}

void open_set::ask_soon(open_execution& one)
{
    run_is_known(one);
    expect_report(one, time_.now() + until_reported);
}

std::vector<execution_id> open_set::take_unreported(std::size_t most)
{
    std::vector<execution_id> some;
    auto const now = time_.now();
    while (some.size() < most && !unreported_.empty() && unreported_.begin()->first <= now) {
        auto& one = executions_.at(unreported_.begin()->second);
        unreported_.erase(unreported_.begin());
        some.push_back(one.id);
        expect_report(one, now + std::max<duration>(now - one.since, until_reported));
    }
    return some;
}

void open_set::charge(open_execution& one, credit* which)
{
    auto* before = std::exchange(one.credit, which);
    if (which != nullptr)
        credits::use(*which);
    if (before == nullptr)
        return;
    credits::release(*before);
    if (released_)
        released_(*before->service);
}

void open_set::charge_named(open_execution& one, named_credit* which)
{
    auto* before = std::exchange(one.named, which);
    if (which != nullptr)
        ++which->used;
    if (before == nullptr)
        return;
    --before->used;
    if (named_released_)
        named_released_(*before);
}

std::size_t open_set::count_at(std::string const& where) const
{
    auto const found = places_.find(where);
    return found == places_.end() ? 0 : found->second.size();
}

void open_set::wait(open_execution& one, utc_time due)
{
    move(one, phase::waiting);
    one.queued_at = due;
    queue_.put(one.service->due, due, one.id);
}

void open_set::wait_for(open_execution& one, instant until)
{
    move(one, phase::waiting);
    one.queued_at = utc_time::max();
    one.delayed_until = until;
    pauses_.emplace(until, one.id);
}

bool open_set::pauses(open_execution const& one) const
{
    return one.phase == phase::waiting && one.queued_at == utc_time::max() && time_.now() < one.delayed_until;
}

std::optional<instant> open_set::next_after_pause() const
{
    return pauses_.empty() ? std::nullopt : std::optional(pauses_.begin()->first);
}

std::optional<utc_time> open_set::next_recorded_due() const
{
    auto const queued = queue_.next();
    if (pauses_.empty())
        return queued;
    auto const first = executions_.find(pauses_.begin()->second);
    if (first == executions_.end())
        return queued;
    return std::min(queued.value_or(utc_time::max()), first->second.due_at);
}

// Those whose pause is over are due, also if cluster time stands still.
void open_set::end_pauses(utc_time now, std::size_t most)
{
    for (; most > 0 && !pauses_.empty() && pauses_.begin()->first <= time_.now(); --most) {
        auto const [until, id] = *pauses_.begin();
        pauses_.erase(pauses_.begin());
        auto* one = find(id);
        bool const pauses = one != nullptr && one->phase == phase::waiting && one->queued_at == utc_time::max() &&
                            one->delayed_until == until;
        if (pauses)
            wait(*one, now);
    }
}

std::vector<execution_id> open_set::take_due(utc_time now, std::size_t most)
{
    end_pauses(now, most);
    auto due = queue_.take(now, most);
    std::unordered_set<execution_id> seen;
    std::erase_if(due, [&](auto id) {
        auto* one = find(id);
        if (one == nullptr || one->phase != phase::waiting || one->queued_at > now || !seen.insert(id).second)
            return true;
        bool const held_back = one->scheduled && edits_.hold(one->task->id, one->scheduled_at);
        if (held_back)
            wait_for(*one, time_.now() + while_edited);
        return held_back;
    });
    return due;
}

std::size_t open_set::backlog(protocol::service_view service) const
{
    auto const found = services_.find(service);
    return found == services_.end() ? 0 : found->second.backlog;
}

} // namespace baton::trigger
