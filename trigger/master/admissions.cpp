#include "trigger/master/admissions.hpp"

#include "trigger/master/admission_places.hpp"

namespace baton::trigger {

// Which executions may be sent.

namespace {

constexpr std::size_t woken_at_once = 1'000;
constexpr duration read_at_once = 500ms; // after its creation a run is usually known

std::string reason_of_skip(protocol::concurrency_policy const& policy)
{
    auto const so_many = "as many executions as may be under way at a time (" + std::to_string(policy.limit) + ") were";
    return policy.queue == 0 ? so_many
                             : so_many + ", and as many as may wait (" + std::to_string(policy.queue) + ") did";
}

} // namespace

admissions::admissions(term_scope const& scope, attempts& next)
    : scope_(scope),
      next_(next),
      began_(scope.term.clock.now()),
      began_at_(scope.term.time.now()),
      present_(scope.open),
      bell_(scope.loop)
{}

// By the limits that hold now, which may be those of a later version of its task.
concurrency_gate::candidate admissions::candidate(open_execution const& one, bool may_skip) const
{
    auto found = candidate_of(one, may_skip);
    found.version = present_.holding(one).version;
    return found;
}

limit_tree::member admissions::member(open_execution const& one) const
{
    return member_of(one, present_.holding(one));
}

bool admissions::concerns(open_execution const& one) const
{
    auto const& task = one.task->definition;
    if (task.concurrency.limit == 0 && !task.rate.any() && !tree_.any_service_limited())
        return false;
    return has_gate(one) || tree_.concerns(member(one));
}

bool admissions::admit(open_execution& one)
{
    if (!concerns(one))
        return true;
    if (!loaded_) {
        early_.emplace_back(one.place_in_line(), one.id);
        return false;
    }
    if (tree_.at(one.id) == limit_tree::stage::waits || !pass_gate(one) || !pass_tree(one))
        return false;
    if (must_write(one)) {
        to_let_go_.push_back(one.id);
        bell_.wake();
        return false;
    }
    one.admitted_at = scope_.term.clock.now();
    bool const keeps_others =
        has_gate(one) && present_.knows(one.task->id) && (has_moved_on(one) || gate_.place_blocking_others(one.id));
    if (tree_.at(one.id) == limit_tree::stage::promised || keeps_others)
        promised_.emplace_back(scope_.term.time.now(), one.id);
    look_in_time();
    return true;
}

// The concurrency limit of its task.
bool admissions::pass_gate(open_execution& one)
{
    if (!has_gate(one))
        return true;
    if (gate_.holds(one.id)) {
        bool const has_context = one.past_attempt == one.attempt; // it was admitted before that was read
        if (one.forced || has_context)
            return true;
        auto const others = gate_.release_if_full(one.id); // the places of a former term may be too many
        admitted(others);
        if (gate_.holds(one.id))
            return true;
        tree_.leave(one.id, rate_time());
    }
    if (has_moved_on(one) && !one.begun && !gate_.waits(one.id)) {
        one.displaced = true;
        return true;
    }
    return enter_gate(one);
}

bool admissions::enter_gate(open_execution& one)
{
    make_room(one);
    auto const policy = present_.concurrency(one);
    bool const stood_in_line =
        one.displaced && one.has_waited; // it was in line before, so a full line must not skip it
    auto const ruling = gate_.enter(place_of(one), policy, candidate(one, !one.begun && !stood_in_line));
    carry_out(ruling);
    admitted(ruling.admitted);
    if (ruling.outdated)
        give_way(one);
    else if (ruling.what == concurrency_gate::verdict::skipped)
        next_.skip(one, reason_of_skip(policy));
    else if (ruling.what == concurrency_gate::verdict::waits)
        wait_here(one);
    return ruling.what == concurrency_gate::verdict::admitted;
}

// Its rate, and the limits of its service and project.
bool admissions::pass_tree(open_execution& one)
{
    auto const which = member(one);
    if (tree_.at(one.id) == limit_tree::stage::promised || !tree_.concerns(which))
        return true;
    one.limited = true;
    tree_.enter(which, rate_time());
    if (wake_tree(one.id))
        return true;
    wait_here(one);
    return false;
}

bool admissions::must_write(open_execution const& one) const
{
    return tree_.must_record(one.id, rate_time());
}

bool admissions::start(open_execution& one)
{
    if (one.displaced && has_gate(one) && !gate_.holds(one.id)) {
        take_back_place(one);
        if (!enter_gate(one))
            return false;
    }
    if (!one.limited && (!tree_.any_service_limited() || !concerns(one)))
        return true;
    if (tree_.at(one.id) != limit_tree::stage::promised && !pass_tree(one))
        return false;
    if (must_write(one)) {
        to_let_go_.push_back(one.id);
        bell_.wake();
        return false;
    }
    tree_.start(one.id, rate_time());
    look_in_time();
    return true;
}

void admissions::wait_here(open_execution& one)
{
    if (!one.noted)
        not_noted_.emplace_back(scope_.term.time.now(), one.id);
    // A run that was read late: an edit of the limit may have come before, when no execution of the task was known.
    bool const first = !std::exchange(one.has_waited, true);
    if (first && !one.scheduled && scope_.term.clock.now() - made_at(one.id) > read_at_once && learn_) {
        unsure_.insert(one.task->id);
        bell_.wake();
    }
    look_in_time();
}

void admissions::carry_out(concurrency_gate::ruling const& ruling)
{
    for (auto const id : ruling.skip)
        if (auto* other = scope_.open.find(id))
            give_way(*other);
    to_cancel_.insert(to_cancel_.end(), ruling.cancel.begin(), ruling.cancel.end());
    if (!to_cancel_.empty())
        bell_.wake();
}

// A newer execution takes its place. One that was never sent is skipped.
void admissions::give_way(open_execution& one)
{
    if (!one.begun && one.phase == phase::waiting)
        return next_.skip(one, took_its_place);
    to_cancel_.push_back(one.id);
    bell_.wake();
}

// Lets the executions go on that the limits allow by now. True if `asking` is one of them: its caller goes on with it.
bool admissions::wake_tree(execution_id asking)
{
    bool mine = false;
    for (auto const id : tree_.wake(rate_time(), woken_at_once)) {
        auto* one = scope_.open.find(id);
        if (id == asking)
            mine = true;
        else if (one != nullptr && one->phase == phase::waiting)
            go_on(*one);
    }
    look_in_time();
    return mine;
}

// Promised executions that no client takes give their places to others. They stay in the queue for a client.
void admissions::step_back()
{
    auto const now = scope_.term.time.now();
    auto left = woken_at_once;
    for (; left > 0 && !promised_.empty() && promised_.front().first + promise_holds <= now; promised_.pop_front()) {
        --left;
        auto const id = promised_.front().second;
        tree_.step_back(id, rate_time());
        if (auto* const one = find_waiting(id); one != nullptr && gate_.holds(id) && !one->begun)
            unblock_line(*one);
    }
}

bool admissions::waits(execution_id id) const
{
    return gate_.waits(id) || tree_.at(id) == limit_tree::stage::waits;
}

void admissions::admitted(std::vector<execution_id> const& ids)
{
    for (auto const id : ids) {
        auto* one = scope_.open.find(id);
        if (one != nullptr && one->phase == phase::waiting && pass_tree(*one))
            go_on(*one);
    }
    if (gate_.has_more())
        look_in_time();
}

void admissions::go_on(open_execution& one)
{
    if (!must_write(one))
        return send(one);
    to_let_go_.push_back(one.id);
    bell_.wake();
}

// One that waits for the end of a pause has its places then.
void admissions::send(open_execution& one)
{
    if (scope_.open.pauses(one))
        return;
    one.admitted_at = scope_.term.clock.now();
    scope_.open.wait(one, scope_.term.clock.now());
    scope_.due_changed.wake();
}

void admissions::ended(execution_id id)
{
    auto const others = gate_.leave(id);
    admitted(others);
    if (tree_.at(id) == limit_tree::stage::unknown)
        return;
    tree_.leave(id, rate_time());
    wake_tree();
}

// Executions under way count for the new limits. Those that wait for a client ask for a place when they are sent.
void admissions::limit(std::vector<protocol::scope_settings> const& all)
{
    tree_.set_limits(all, rate_time());
    scope_.open.each_under_way([this](open_execution& one) {
        auto const which = member(one);
        if (one.phase != phase::parent && tree_.at(one.id) == limit_tree::stage::unknown && tree_.concerns(which))
            tree_.hold(which, rate_time());
    });
    wake_tree();
}

bool admissions::limits(task_id task) const
{
    return tree_.knows(task) || gate_.knows(task) || has_limited_waiting(scope_.open, task);
}

void admissions::edited(std::shared_ptr<known_task const> task)
{
    present_.learn(task);
    gate_.edit(task->id, task->version, task->definition.concurrency.limit);
    if (gate_.knows(task->id))
        edited_lines_.insert({task->id, 0});
    admitted(gate_.admit_more());
    tree_.edit(task->id, task->version, task->definition.rate, rate_time());
    wake_tree();
}

} // namespace baton::trigger
