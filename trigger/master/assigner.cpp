#include "trigger/master/assigner.hpp"

#include "libs/base/log.hpp"
#include "libs/schedule/misfire.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t at_once = 1'000;             // executions taken from a queue in one step of the loop
constexpr std::size_t taken_in_a_turn = 500;       // of a service in its turn
constexpr duration cut_off_without = 1s;           // a report: nodes report twice a second
constexpr duration refused_again = 1s;             // for its size: the node with another client may be free by then
constexpr duration covered_again = 20ms;           // for an execution that the mark does not cover
constexpr duration look_at_returned_again = 100ms; // at a client whose home returned an execution

} // namespace

assigner::assigner(dispatcher_settings settings, term_scope const& scope, dependencies deps)
    : settings_(settings),
      scope_(scope),
      deps_(deps),
      named_(scope.open,
             [&clients = scope.clients](auto const& instance) { return clients.find(instance) != nullptr; }),
      router_(scope.clients, [this](listed_client const& client) { return named_.room(client) > 0; }),
      senders_(scope.loop)
{
    scope_.open.on_named_release([this](named_credit const& client) {
        if (deps_.ready.unpark(client.service, client.instance))
            scope_.due_changed.wake();
    });
    deps_.late.on_marked([this](protocol::service_view service) { released(service); });
}

void assigner::may_fire_until(utc_time limit)
{
    limit_ = std::max(limit_, limit);
    scope_.due_changed.wake();
}

void assigner::trace(std::string const& node, std::vector<execution_id> const& executions)
{
    if (deps_.trace.kept())
        deps_.trace.assign(scope_.term.epoch(), node, executions);
}

awaitable<void> assigner::run()
{
    co_await senders_.around(fire());
}

awaitable<void> assigner::fire()
{
    for (;;) {
        co_await scope_.term.until_active(assigning_need);
        deps_.ready.unblock_due(scope_.term.time.now());
        auto const round = scope_.term.clock.now();
        if (round > limit_) { // what waits may have been paused since
            co_await scope_.due_changed.wait();
            continue;
        }
        collect(round);
        distribute(round);
        auto const now = scope_.term.time.now();
        firing_times const times{scope_.open.next_due(), deps_.mark.limit(), limit_, deps_.ready.next_unblock(),
                                 scope_.open.next_after_pause()};
        auto const look = look_after(times, now, scope_.term.clock.now());
        if (look.wants_mark)
            deps_.mark.wake(); // which wakes this when it has moved
        if (deps_.ready.any_active() || look.at <= now)
            co_await asio::post(scope_.loop, asio::use_awaitable); // a long queue must not keep the loop
        else
            co_await scope_.due_changed.wait_until(scope_.term.time, look.at);
    }
}

// Moves what is due into the ready queue.
void assigner::collect(utc_time now)
{
    std::vector<execution_id> broadcasts;
    auto const until = std::min({now, limit_, deps_.mark.limit()});
    auto const due = scope_.open.take_due(until, at_once);
    if (!due.empty())
        deps_.out.fell_due();
    for (auto const id : due) {
        auto& one = *scope_.open.find(id);
        if (one.phase != phase::waiting || !is_marked(one)) // an execution before it in this loop may have replaced it
            continue;
        if (deps_.limits.expired(one, now) || deps_.paused.keep(one) || !may_go(one, now) || deps_.past.keep(one))
            continue;
        if (one.broadcast()) {
            if (!skip_if_late(one, now) && deps_.admissions.start(one))
                broadcasts.push_back(id);
        } else if (!std::exchange(one.ready, true)) {
            deps_.ready.put(protocol::service_of(one.task->definition), need_of(one), id,
                            one.task->definition.priority);
        }
    }
    if (!broadcasts.empty())
        deps_.completions.broadcast(std::move(broadcasts));
}

// A pause that ended while cluster time stands still may lie beyond the mark, which a new master trusts.
bool assigner::is_marked(open_execution& one)
{
    if (one.attempt == 1 || one.due_at <= deps_.mark.limit())
        return true;
    deps_.mark.reach(one.due_at);
    scope_.open.wait_for(one, scope_.term.time.now() + covered_again);
    return false;
}

void assigner::distribute(utc_time now)
{
    ready_queue::place_function const at = [this, now](protocol::service_view service, auto const& what,
                                                       auto const& first, std::size_t most) {
        return place(service, what, first, most, now);
    };
    for (std::size_t spent = 0; spent < at_once;) {
        auto const turn = deps_.ready.turn(taken_in_a_turn, at);
        if (!turn)
            return;
        spent += *turn;
    }
}

bool assigner::usable(std::string const& node)
{
    auto const& nodes = deps_.nodes;
    auto const now = scope_.term.time.now();
    if (traffic_.avoided(node, now))
        return false;
    // By its row it cannot report, so its clients move and its capacity is out of date. A report says otherwise
    // earlier.
    if (nodes.contact_of(node) == contact::cut_off && !traffic_.heard_since(node, now - cut_off_without))
        return false;
    if (node == nodes.self().incarnation)
        return !nodes.self().draining;
    auto const* row = nodes.find(node);
    return row != nullptr && !row->draining && nodes.alive(node) && !deps_.in_doubt.suspects(node);
}

// The first ones of a queue that still wait, as far as there is room for them.
ready_queue::placement assigner::place(protocol::service_view service, ready_queue::need const& what,
                                       std::deque<execution_id> const& first, std::size_t most, utc_time round)
{
    if (!what.forced && deps_.paused.blocks(service))
        return {}; // until it is resumed
    if (is_unrouted(what))
        return route_again(first, most, round);
    auto const wanted = static_cast<int>(std::min(first.size(), most));
    auto const there = destination_of(service, what, wanted);
    ready_queue::placement out;
    out.again = there.to.again;
    std::vector<execution_id> ids;
    for (auto const id : first) {
        if (out.taken == most)
            break;
        auto* one = scope_.open.find(id);
        bool const waits = one != nullptr && one->phase == phase::waiting && one->ready;
        bool const ended = waits && (fail_if_gone(*one) || skip_if_late(*one, round));
        if (waits && !ended && is_misrouted(*one, there.client)) {
            scope_.open.wait(*one, round);
            ++out.taken;
            continue;
        }
        if (waits && !ended && static_cast<int>(ids.size()) >= there.to.room) {
            out.park = there.full;
            break;
        }
        if (waits && !ended && needs_slot(*one) && free_slots(there) <= 0)
            break;
        if (waits && !ended && deps_.late.concerns(*one)) {
            auto const room = there.to.room - static_cast<int>(ids.size());
            mark_late(service, first, out.taken, {room, free_slots(there)});
            break; // until they are marked
        }
        ++out.taken;
        if (!waits || ended)
            continue;
        one->ready = false;
        if (!deps_.admissions.start(*one))
            continue;
        deps_.out.sent(*one);
        if (one->checked_at == instant{})
            one->checked_at = scope_.term.time.now();
        scope_.open.move(*one, phase::assigned, there.node);
        scope_.open.charge(*one, there.to.credit);
        scope_.open.charge_named(*one, there.named);
        ids.push_back(id);
    }
    if (!ids.empty())
        hand_over(there.node, std::move(ids), false);
    return out;
}

// Those from `begin` on are marked before they are sent, as many as find room. They keep their places in the queue.
void assigner::mark_late(protocol::service_view service, std::deque<execution_id> const& first, std::size_t begin,
                         room_left there)
{
    auto left = std::min(static_cast<std::size_t>(std::max(there.places, 0)), first.size() - begin);
    for (auto at = begin; left > 0 && at < first.size() && deps_.late.room(service) > 0; ++at, --left) {
        auto* one = scope_.open.find(first[at]);
        bool const waits = one != nullptr && one->phase == phase::waiting && one->ready;
        if (waits && needs_slot(*one) && there.slots-- <= 0)
            return;
        if (waits && deps_.late.concerns(*one) && !scope_.open.is_left_out(*one, scope_.term.clock.now()))
            deps_.late.take(*one);
    }
}

// A shard whose client is gone cannot run elsewhere, nor one that is run again after its task has moved to another
// service. A client that this node has not read of yet may be new.
bool assigner::fail_if_gone(open_execution& one)
{
    if (one.shard_instance.empty())
        return false;
    auto const& task = one.task->definition;
    auto const* client = scope_.clients.find(one.shard_instance);
    bool const of_service =
        client != nullptr && client->service->project == task.project && client->service->service == task.service;
    if (of_service || (client == nullptr && scope_.clients.read_at() <= one.since))
        return false;
    one.ready = false;
    deps_.next.fail(one, client == nullptr ? "the client of this shard is gone"
                                           : "the client of this shard belongs to another service");
    return true;
}

bool assigner::skip_if_late(open_execution& one, utc_time now)
{
    if (!scope_.open.is_left_out(one, now))
        return false;
    one.ready = false;
    deps_.next.skip(one, schedule::reason_of_skip(one.task->definition.misfire));
    return true;
}

// False if a limit keeps it back, or if it was skipped.
bool assigner::may_go(open_execution& one, utc_time now)
{
    if (!deps_.admissions.concerns(one))
        return true;
    return !skip_if_late(one, now) && deps_.admissions.admit(one);
}

void assigner::hear(std::string const& node, protocol::capacity_message const& message)
{
    traffic_.heard(node, scope_.term.time.now());
    for (auto const& service : deps_.credits.hear(node, message))
        released(service);
    for (auto const& one : message.named) {
        auto const* client = scope_.clients.find(one.instance);
        if (client == nullptr || *client->home != node)
            continue;
        named_.hear(one);
        if (deps_.ready.unpark(*client->service, one.instance))
            scope_.due_changed.wake();
    }
}

void assigner::released(protocol::service_view service)
{
    if (deps_.ready.unblock(service))
        scope_.due_changed.wake();
}

void assigner::returned(open_execution& one, std::string const& node, std::int64_t number, bool refused)
{
    if (one.phase != phase::assigned || one.where != node || one.number != number)
        return;
    auto const now = scope_.term.time.now();
    auto pause = one.instance().empty() ? 0ms : look_at_returned_again;
    if (refused) { // the node has room for others
        pause = refused_again;
    } else if (one.named != nullptr) {
        one.named->refused = true;
        one.named->closed_until = now + look_at_returned_again;
    } else if (one.credit != nullptr) {
        one.credit->closed_until = now + full_pause;
    }
    deps_.late.returned(one);
    scope_.open.wait_for(one, now + pause);
    deps_.admissions.returned(one);
    scope_.due_changed.wake();
}

// It waits in its place in line again, and passes every check before it goes to a client.
void assigner::given_back(open_execution& one)
{
    deps_.late.returned(one);
    scope_.open.wait_for(one, scope_.term.time.now());
    deps_.admissions.given_back(one);
    scope_.due_changed.wake();
}

} // namespace baton::trigger
