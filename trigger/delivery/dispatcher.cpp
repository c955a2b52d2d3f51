#include "trigger/delivery/dispatcher.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/offers.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration hanging = 100ms;  // without an answer; most clients answer within a few milliseconds
constexpr duration longest_run = 1h; // that a client's clock may tell; a longer one says nothing more
constexpr char moved_away[] = "the client is not registered with this node any more";
}

dispatcher::dispatcher(dispatcher_settings settings, duration ttl, dependencies deps, asio::any_io_executor loop)
    : settings_(settings),
      ttl_(ttl),
      deps_(deps),
      probes_(deps.lanes, deps.time, loop,
              {[this](std::string instance) { return deps_.calls.probe(std::move(instance)); },
               [this](std::string const& instance) { proved(instance); },
               [this](std::string const& instance, std::string const& why) { failed(instance, why); }}),
      bell_(loop),
      senders_(loop),
      lost_({deps.lanes, deps.calls, deps.right, deps.report, deps.time, senders_}),
      recalls_({deps.lanes, deps.calls, deps.right, deps.report, deps.known, deps.time, senders_},
               {[this] { return ++sent_; }, [this](std::string const& instance) { wake(instance); }})
{}

std::size_t dispatcher::accept(protocol::assign_request message)
{
    auto const size = message.executions.size();
    bool const counts = deps_.known.take(message.number, message.open);
    if (counts && !look_at_membership())
        return 0;
    std::size_t taken = 0;
    std::set<std::uint64_t> older; // lanes in which an earlier attempt waits
    for (auto& one : message.executions) {
        if (!counts)
            break;
        auto const* known = deps_.known.find(one.work.execution);
        auto const step = step_for(known, one.work.attempt, message.number);
        if (step == assignment_step::take && load() >= settings_.queue_limit)
            break;
        if (step == assignment_step::take && known != nullptr && known->fate == fate::waiting)
            older.insert(known->lane);
        take_one(std::move(one), message.number, step);
        ++taken;
    }
    drop_superseded(older);
    deps_.known.forget_settled();
    return counts ? taken : size;
}

void dispatcher::take_one(protocol::assignment one, std::int64_t number, assignment_step step)
{
    auto const execution = one.work.execution;
    auto const* known = deps_.known.find(execution);
    if (step == assignment_step::ignore)
        return;
    if (step == assignment_step::tell)
        return deps_.report.delivered({execution, known->attempt, known->client, known->holds, number});
    if (step == assignment_step::note) { // a return must name the latest assignment
        auto same = *known;
        same.number = std::max(same.number, number);
        return deps_.known.set(execution, same);
    }
    bool const resumed = step == assignment_step::resume;
    auto const owner = resumed ? known->client : std::string();
    auto const first_sent = resumed ? known->first_sent : std::nullopt;
    deps_.known.set(execution, {one.work.attempt, fate::waiting, {}, 0, number});
    delivery next{std::move(one), number, !owner.empty(), first_sent};
    ++waiting_;
    if (owner.empty())
        return place(std::move(next));
    auto* const lane = deps_.lanes.find(owner);
    if (lane != nullptr && !next.what.once)
        return put(*lane, std::move(next));
    --waiting_;
    give_back(next, protocol::return_cause::in_doubt, owner,
              lane == nullptr ? "its client has another home" : "the message to its client is never repeated");
}

client_lane* dispatcher::lane_for(delivery const& one)
{
    auto const now = deps_.time.now();
    auto const service = protocol::service_of(one.what);
    if (!one.refused_by.empty())
        return deps_.lanes.choose_other(service, protocol::demand_for(one.what.work.handler, one.what.tag),
                                        one.refused_by, now);
    if (one.what.routing != protocol::client_choice::instance)
        return deps_.lanes.choose(service, protocol::demand_for(one.what.work.handler, one.what.tag), one.what.routing,
                                  now);
    auto* lane = deps_.lanes.find(one.what.instance);
    if (lane == nullptr || lane->who().service != service)
        return nullptr;
    deps_.lanes.set_named(*lane);
    return lane->takes_work() && lane->room(now) > 0 ? lane : nullptr;
}

// Into the lane of a client that has room, or back to the master. `waiting_` counts it already.
void dispatcher::place(delivery one)
{
    one.first_sent.reset();
    if (auto* lane = lane_for(one)) {
        put(*lane, std::move(one));
    } else {
        --waiting_;
        tell_refusals(one);
        give_back(one, protocol::return_cause::no_room, {}, "no client of this node has room");
    }
}

// The master counts the clients of all nodes that refused the execution. It comes back to the master behind this.
void dispatcher::tell_refusals(delivery const& one)
{
    auto const& work = one.what.work;
    for (auto const& client : one.refused_by)
        deps_.report.undelivered(
            {work.execution, work.attempt, protocol::return_cause::impossible, client, refuses_this_size, one.number});
}

// Notes the lane, so that the execution is found without a look at every client.
void dispatcher::put(client_lane& lane, delivery one)
{
    deps_.known.waits_in(one.what.work.execution, lane.number());
    lane.put(std::move(one));
    deps_.lanes.watch(lane, deps_.time.now());
    wake(lane.who().instance);
}

// In front of what waits there, in the same order.
void dispatcher::put_back(client_lane& lane, std::vector<delivery>& group)
{
    for (auto each = group.rbegin(); each != group.rend(); ++each) {
        deps_.known.waits_in(each->what.work.execution, lane.number());
        lane.put_first(std::move(*each));
    }
}

void dispatcher::drop_superseded(std::set<std::uint64_t> const& in)
{
    for (auto const number : in)
        if (auto* lane = deps_.lanes.numbered(number))
            waiting_ -=
                lane->take_if([this](delivery const& one) { return deps_.known.superseded(one.what.work); }).size();
}

void dispatcher::new_epoch()
{
    deps_.report.new_term(deps_.right.term());
    if (load() != 0)
        drop_all("a new master assigns anew");
    deps_.known.clear();
}

// Reports it to the master, which decides. A repeated assignment that is still on its way must not deliver it.
void dispatcher::give_back(delivery const& one, protocol::return_cause cause, std::string const& client,
                           std::string why)
{
    auto const& work = one.what.work;
    auto const* known = deps_.known.find(work.execution);
    auto const number = known != nullptr ? std::max(known->number, one.number) : one.number;
    deps_.known.set(work.execution, {work.attempt, fate_after(cause), {}, 0, number});
    deps_.report.undelivered({work.execution, work.attempt, cause, client, std::move(why), number});
}

void dispatcher::drop_all(char const* why)
{
    log::info("delivery", "dropping the assignments that no client has, the master will assign them again",
              {log::reason(why), {"executions", waiting_}});
    deps_.lanes.each([this](client_lane& lane) {
        for (auto const& one : lane.take_all())
            drop(lane.who().instance, one);
    });
    waiting_ = 0;
}

void dispatcher::drop(std::string const& instance, delivery const& one)
{
    auto const& work = one.what.work;
    if (one.bound)
        deps_.known.set(work.execution, {work.attempt, fate::dropped, instance, 0, one.number, one.first_sent});
    else
        deps_.known.forget(work.execution);
}

std::vector<execution_id> dispatcher::withdraw(std::vector<execution_id> const& executions)
{
    std::vector<execution_id> withdrawn;
    std::unordered_set<execution_id> wanted;
    std::set<std::uint64_t> in;
    for (auto const id : executions)
        if (auto const* known = deps_.known.find(id); known != nullptr && known->fate == fate::waiting) {
            wanted.insert(id);
            in.insert(known->lane);
        }
    auto const take = [&](delivery const& one) {
        bool const mine = !one.bound && wanted.contains(one.what.work.execution);
        if (mine)
            withdrawn.push_back(one.what.work.execution);
        return mine;
    };
    for (auto const number : in)
        if (auto* lane = deps_.lanes.numbered(number))
            waiting_ -= lane->take_if(take).size();
    for (auto const id : withdrawn)
        deps_.known.forget(id);
    return withdrawn;
}

void dispatcher::client_changed(std::string const& instance)
{
    auto const* known = deps_.clients.find(instance);
    if (known == nullptr) {
        if (auto lane = deps_.lanes.remove(instance))
            return_all(*lane, protocol::return_cause::in_doubt, moved_away);
        probes_.forget(instance);
        deps_.reach.forget(instance);
        deps_.report.capacity_changed();
        return;
    }
    auto const* before = deps_.lanes.find(instance);
    bool const to_prove = before == nullptr || before->who().address != known->row.address;
    auto& lane = deps_.lanes.put({instance, protocol::key_of(protocol::service_of(known->row)), known->handlers,
                                  known->row.slots, known->row.queue, !known->gets_work(), known->row.address,
                                  known->row.generation});
    if (to_prove)
        probes_.add(instance);
    show_reach(lane);
    deps_.report.capacity_changed();
    if (!known->gets_work())
        place_elsewhere(lane);
    deps_.lanes.watch(lane, deps_.time.now());
    bell_.wake();
}

// Executions that the client certainly does not have go to other clients.
void dispatcher::place_elsewhere(client_lane& lane)
{
    auto free = lane.take_if([](delivery const& one) { return !one.bound; });
    for (auto& one : free)
        place(std::move(one));
}

void dispatcher::client_returned(std::string const& instance)
{
    if (auto const* lane = deps_.lanes.find(instance); lane != nullptr && !lane->reachable())
        probes_.add(instance);
}

void dispatcher::client_gone(std::string const& instance)
{
    probes_.forget(instance);
    deps_.reach.forget(instance);
    if (auto lane = deps_.lanes.remove(instance)) {
        return_all(*lane, protocol::return_cause::client_gone, moved_away);
        deps_.report.capacity_changed();
    }
}

// Executions that never reached the client may go elsewhere as the same attempt.
void dispatcher::return_all(client_lane& lane, protocol::return_cause bound, char const* why)
{
    auto const all = lane.take_all();
    waiting_ -= all.size();
    auto const& instance = lane.who().instance;
    for (auto const& one : all)
        give_back(one, one.bound ? bound : protocol::return_cause::no_room, one.bound ? instance : std::string(), why);
}

void dispatcher::give_back_stuck()
{
    auto const now = deps_.time.now();
    deps_.lanes.each([this, now](client_lane& lane) {
        if (!lane.proved())
            return_all(lane, protocol::return_cause::in_doubt, "its node stops, and the client cannot be called");
        else if (lane.hangs(now, hanging))
            return_all(lane, protocol::return_cause::in_doubt, "its node stops, and the client does not answer");
    });
}

// The client may have ended these long ago, and may have forgotten them by the time at which another delivery arrives.
void dispatcher::give_back_old(client_lane& lane)
{
    auto const old = lane.take_old(deps_.time.now());
    waiting_ -= old.size();
    for (auto const& one : old)
        give_back(one, protocol::return_cause::in_doubt, lane.who().instance, "its delivery was not answered for long");
}

void dispatcher::execution_ended(std::string const& instance, protocol::attempt_key const& which)
{
    auto const now = deps_.time.now();
    if (auto const* lane = deps_.lanes.ended(instance, which, now)) {
        if (slotless_.contains(lane->who().instance))
            wake(lane->who().instance);
        return;
    }
    auto const* known = deps_.known.find(which.execution);
    if (known == nullptr || known->fate != fate::waiting)
        return;
    if (auto* const lane = deps_.lanes.numbered(known->lane))
        lane->ended(which, now);
}

void dispatcher::ended(std::vector<protocol::attempt_key> const& which)
{
    for (auto const& each : which)
        execution_ended({}, each);
}

void dispatcher::results_came(std::string const& instance, std::vector<protocol::result_report> const& results)
{
    auto* const lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    int count = 0;
    duration total{};
    bool ended = false;
    for (auto const& one : results) {
        if (!protocol::is_final(one.status))
            continue;
        ended = true;
        lane->result_came({one.execution, one.attempt});
        if (one.started_at > 0) {
            ++count;
            total += std::clamp<duration>(duration{one.finished_at - one.started_at}, 0us, longest_run);
        }
    }
    if (!ended)
        return;
    deps_.lanes.ran(*lane, count, total, deps_.time.now());
    if (deps_.lanes.any_changed())
        deps_.report.capacity_changed();
}

void dispatcher::may_have_given_back(std::string const& instance, std::vector<protocol::attempt_key> which)
{
    auto* const lane = deps_.lanes.find(instance);
    if (lane == nullptr || which.empty())
        return;
    lane->may_have_given_back(std::move(which), deps_.time.now());
    deps_.lanes.watch(*lane, deps_.time.now());
    bell_.wake();
}

void dispatcher::has(std::string const& instance, std::vector<protocol::attempt_key> which)
{
    auto* const lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    which.resize(std::min(which.size(), protocol::most_held_told));
    for (auto const& one : which) {
        auto const* known = deps_.known.find(one.execution);
        if (known == nullptr || (known->fate == fate::delivered && known->client == instance))
            deps_.lanes.learn(*lane, one, deps_.time.now());
    }
    bell_.wake();
}

void dispatcher::told_free_slots(std::string const& instance, int free)
{
    auto* lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    lane->told_free_slots(free, deps_.time.now());
    lost_.look_at(*lane);
}

// May this node deliver? Once other nodes may have counted it as gone, its assignments are void.
bool dispatcher::look_at_membership()
{
    if (std::exchange(lapses_, deps_.right.lapses()) != deps_.right.lapses()) {
        if (waiting_ != 0)
            drop_all("this node's membership had lapsed");
        deps_.lanes.mark_all_changed(); // the master has forgotten what this node can take
        deps_.report.capacity_changed();
    }
    if (deps_.right.valid())
        return true;
    if (waiting_ != 0)
        drop_all("this node could not renew its membership");
    return false;
}

} // namespace baton::trigger
