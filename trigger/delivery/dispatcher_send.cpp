#include "libs/base/log.hpp"
#include "trigger/delivery/dispatcher.hpp"

#include <algorithm>

namespace baton::trigger {

// The calls to clients, and what follows from their answers.

awaitable<void> dispatcher::run()
{
    co_await probes_.around(senders_.around(work()));
}

// Sends what waits, once what arrived together is in the lanes; and tries clients that failed again.
awaitable<void> dispatcher::work()
{
    auto next_tick = deps_.time.now();
    for (;;) {
        if (deps_.time.now() >= next_tick) {
            next_tick = deps_.time.now() + settings_.retry_pause;
            probes_.tick();
            ready_.merge(std::exchange(slotless_, {}));
        }
        auto next = next_tick;
        if (may_deliver()) {
            look_at_lanes();
            for (auto const& instance : std::exchange(ready_, {}))
                start(instance);
            next = std::min(next, deps_.lanes.next_look().value_or(next));
        }
        co_await bell_.wait_until(deps_.time, next);
    }
}

// Executions that wait here for a slow client, or are queued there, go back to the master: another client may take
// them, and the policies hold for them there.
void dispatcher::look_at_lanes()
{
    auto const now = deps_.time.now();
    for (auto* lane : deps_.lanes.look(now)) {
        return_too_many(*lane);
        recalls_.look_at(*lane);
        deps_.lanes.watch(*lane, now);
    }
    if (deps_.lanes.any_changed())
        deps_.report.capacity_changed();
}

void dispatcher::return_too_many(client_lane& lane)
{
    auto const keep = lane.waiting().size() - lane.too_many_waiting();
    if (!lane.is_slow() || keep == lane.waiting().size())
        return;
    std::size_t seen = 0;
    auto const back = lane.take_if([&](delivery const& one) { return ++seen > keep && !one.bound; });
    waiting_ -= back.size();
    for (auto const& one : back)
        give_back(one, protocol::return_cause::no_room, {}, "the clients of this node are slow");
}

void dispatcher::wake(std::string const& instance)
{
    ready_.insert(instance);
    bell_.wake();
}

void dispatcher::start(std::string const& instance)
{
    auto const* lane = deps_.lanes.find(instance);
    if (lane == nullptr || !lane->may_send())
        return;
    senders_.spawn("delivery to a client", send_lane(instance));
}

awaitable<void> dispatcher::send_lane(std::string instance)
{
    for (;;) {
        auto* mine = deps_.lanes.find(instance);
        if (mine == nullptr || !mine->may_send())
            co_return;
        if (!may_deliver()) {
            ready_.insert(instance);
            co_return;
        }
        give_back_old(*mine);
        auto group = mine->take_group(deps_.time.now());
        if (group.empty()) {
            if (!mine->waiting().empty())
                slotless_.insert(instance);
            co_return;
        }
        auto const count = group.size();
        waiting_ -= count;
        under_way_ += count;
        co_await send_group(instance, group);
        under_way_ -= count;
    }
}

void dispatcher::trace(std::string const& instance, std::vector<delivery> const& group)
{
    if (!deps_.trace.kept())
        return;
    std::vector<execution_id> executions;
    executions.reserve(group.size());
    for (auto const& one : group)
        executions.push_back(one.what.work.execution);
    deps_.trace.deliver(deps_.right.term().epoch, instance, executions);
}

std::string dispatcher::dispatch_text(std::int64_t generation, std::vector<delivery>& group)
{
    protocol::dispatch_request request;
    request.generation = generation;
    request.term = deps_.right.term();
    request.node = deps_.right.self();
    request.number = ++sent_;
    request.executions.reserve(group.size());
    for (auto& one : group)
        request.executions.push_back(std::move(one.what.work)); // lent: payloads are not copied
    for (auto& work : request.executions)
        work.receipt = deps_.given.receipt(work.execution, work.attempt);
    auto text = to_text(request);
    for (std::size_t i = 0; i < group.size(); ++i)
        group[i].what.work = std::move(request.executions[i]);
    return text;
}

awaitable<void> dispatcher::send_group(std::string instance, std::vector<delivery>& group)
{
    auto const epoch = deps_.right.term().epoch;
    auto const lapses = deps_.right.lapses();
    auto const* to = deps_.lanes.find(instance);
    auto text = dispatch_text(to == nullptr ? 0 : to->who().generation, group);
    trace(instance, group);
    auto const outcome = co_await deps_.calls.dispatch(instance, std::move(text));
    if (auto* lane = deps_.lanes.find(instance))
        lane->group_ended();
    auto const end =
        end_of(outcome, epoch == deps_.right.term().epoch, deps_.right.valid() && lapses == deps_.right.lapses());
    if (end == group_end::nothing)
        co_return;
    std::erase_if(group, [this](delivery const& one) { return deps_.known.superseded(one.what.work); });
    if (end == group_end::let_go)
        let_go(instance, group, outcome.answer);
    else if (end == group_end::settle)
        settle(instance, group, *outcome.answer);
    else if (end == group_end::too_large)
        too_large(instance, group);
    else
        hold_back(instance, group, outcome.maybe_there, outcome.why);
}

void dispatcher::settle(std::string const& instance, std::vector<delivery>& group,
                        protocol::dispatch_answer const& answer)
{
    std::unordered_map<execution_id, protocol::dispatch_ack> acks;
    for (auto const& one : answer.executions)
        acks[one.execution] = one;
    auto const silent = std::partition(group.begin(), group.end(),
                                       [&](delivery const& one) { return acks.contains(one.what.work.execution); });
    std::vector<delivery> unanswered(std::make_move_iterator(silent), std::make_move_iterator(group.end()));
    group.erase(silent, group.end());
    auto* lane = deps_.lanes.find(instance);
    if (lane != nullptr && unanswered.empty())
        answered(instance);
    bool full = false;
    for (auto& one : group) {
        auto const& ack = acks[one.what.work.execution];
        auto const meaning = meaning_of(ack, one.what.work.attempt, settings_.retry_pause);
        full = full || meaning.full;
        settle_one(instance, std::move(one), meaning);
    }
    // One that refuses for want of room has none, whatever number it names beside.
    if (lane = deps_.lanes.find(instance); lane != nullptr && !full && answer.free >= 0)
        deps_.lanes.told_room(*lane, answer.free, deps_.time.now(), settings_.retry_pause);
    if (!unanswered.empty())
        hold_back(instance, unanswered, true, "it did not answer for some executions");
}

void dispatcher::settle_one(std::string const& instance, delivery one, ack_meaning const& meaning)
{
    auto const& work = one.what.work;
    if (meaning.what == ack_meaning::end::impossible)
        return give_back(one, protocol::return_cause::impossible, {}, "the client cannot read this execution");
    if (meaning.what == ack_meaning::end::delivered) {
        deps_.known.set(work.execution, {work.attempt, fate::delivered, instance, meaning.earlier, one.number});
        deps_.report.delivered({work.execution, work.attempt, instance, meaning.earlier, one.number});
        if (auto* lane = deps_.lanes.find(instance); lane != nullptr && meaning.occupies)
            deps_.lanes.has(*lane, {work.execution, meaning.earlier != 0 ? meaning.earlier : work.attempt},
                            deps_.time.now());
        return;
    }
    lessen(instance, work.handler, meaning);
    one.bound = false; // the client certainly did not take it
    ++waiting_;
    place(std::move(one));
}

// The client refused an execution: it takes less than this node believed.
void dispatcher::lessen(std::string const& instance, std::string const& handler, ack_meaning const& by)
{
    auto* lane = deps_.lanes.find(instance);
    if (by.full && lane != nullptr)
        deps_.lanes.told_room(*lane, 0, deps_.time.now(), *by.full);
    if (by.drains)
        deps_.clients.drains(instance);
    if (by.lacks_handler) {
        if (lane != nullptr)
            deps_.lanes.lost_handler(*lane, handler);
        deps_.report.capacity_changed();
    }
}

// This node may have counted as gone while the group was on its way. An execution that the client did not take is not
// sent again, because the master asks the clients and opens the next attempt.
void dispatcher::let_go(std::string const& instance, std::vector<delivery>& group,
                        std::optional<protocol::dispatch_answer> const& answer)
{
    std::unordered_map<execution_id, protocol::dispatch_ack> taken;
    if (answer)
        for (auto const& one : answer->executions)
            if (one.answer <= protocol::ack::finished)
                taken[one.execution] = one;
    for (auto& one : group) {
        if (auto const found = taken.find(one.what.work.execution); found != taken.end()) {
            auto const meaning = meaning_of(found->second, one.what.work.attempt, settings_.retry_pause);
            settle_one(instance, std::move(one), meaning);
            continue;
        }
        one.bound = true; // it may have arrived
        drop(instance, one);
    }
}

// The client refused the size of the request and took nothing. One that refuses even a small one is out of order.
void dispatcher::too_large(std::string const& instance, std::vector<delivery>& group)
{
    if (group.empty()) // a later attempt has taken the place of each
        return;
    auto* lane = deps_.lanes.find(instance);
    auto& first = group.front();
    size_refusal const refusal{group.size(),
                               lane != nullptr,
                               first.what.work.payload.size(),
                               first.bound,
                               first.what.routing == protocol::client_choice::instance,
                               first.refused_by.size() + 1};
    switch (after_refusal(refusal)) {
    case refused_size::unanswered:
        return hold_back(instance, group, false, "it refuses the size of a small message (status 413)");
    case refused_size::impossible:
        return give_back(first, protocol::return_cause::impossible, {}, refuses_this_size);
    case refused_size::in_doubt:
        return give_back(first, protocol::return_cause::in_doubt, instance, refuses_this_size);
    case refused_size::elsewhere:
        first.refused_by.push_back(instance);
        ++waiting_;
        return place(std::move(first));
    case refused_size::split:
        lane->halve(group.size());
        waiting_ += group.size();
        put_back(*lane, group);
        wake(instance);
    }
}

// There is no answer for these. An execution that may have reached the client stays bound to it until the client
// answers, is gone or has another home.
void dispatcher::hold_back(std::string const& instance, std::vector<delivery>& group, bool maybe_there,
                           std::string const& why)
{
    auto* lane = deps_.lanes.find(instance);
    bool const gone = deps_.clients.is_gone(instance);
    if (lane != nullptr)
        std::erase_if(group, [&](delivery const& one) { return settle_ended(*lane, one); });
    for (auto& one : group)
        one.bound = one.bound || maybe_there;
    if (lane != nullptr)
        std::erase_if(group, [&](delivery const& one) { return settle_once(instance, one, why); });
    waiting_ += group.size();
    if (lane != nullptr)
        put_back(*lane, group);
    else
        for (auto& one : group)
            move_on(instance, std::move(one), gone, why);
    failed(instance, why);
}

// The client has run it, although it has not answered: an execution that has ended is not sent again.
bool dispatcher::settle_ended(client_lane const& lane, delivery const& one)
{
    auto const& work = one.what.work;
    if (!lane.ended_on_the_way({work.execution, work.attempt}))
        return false;
    auto const& instance = lane.who().instance;
    deps_.known.set(work.execution, {work.attempt, fate::delivered, instance, 0, one.number});
    deps_.report.delivered({work.execution, work.attempt, instance, 0, one.number});
    return true;
}

// The message may have arrived, and must not be repeated: the master asks the clients.
bool dispatcher::settle_once(std::string const& instance, delivery const& one, std::string const& why)
{
    if (!one.bound || !one.what.once)
        return false;
    give_back(one, protocol::return_cause::in_doubt, instance, why);
    return true;
}

// The client of this delivery is not one of this node's any more.
void dispatcher::move_on(std::string const& instance, delivery one, bool gone, std::string const& why)
{
    auto const end = after_silence(one.bound, gone);
    if (end == silent_end::elsewhere)
        return place(std::move(one));
    --waiting_;
    auto const cause =
        end == silent_end::client_gone ? protocol::return_cause::client_gone : protocol::return_cause::in_doubt;
    give_back(one, cause, instance, why);
}

} // namespace baton::trigger
