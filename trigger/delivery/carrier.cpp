#include "trigger/delivery/carrier.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration unreachable_pause = 1s;
}

carrier::carrier(dispatcher_settings settings, dependencies deps, asio::any_io_executor loop)
    : settings_(settings), deps_(deps), router_(deps.random), bell_(loop), senders_(loop)
{
    deps_.epochs.on_raise([this](std::int64_t epoch) { new_epoch(epoch); });
}

std::size_t carrier::accept(protocol::assign_request message)
{
    auto const size = message.executions.size();
    bool const counts = deps_.known.take(message.number, message.open);
    auto const taken = counts ? accept(std::move(message.executions)) : size;
    deps_.known.forget_settled();
    return taken;
}

std::size_t carrier::accept(std::vector<protocol::assignment> batch)
{
    if (!look_at_membership())
        return 0;
    std::size_t taken = 0;
    bool older_waits = false;
    for (auto& one : batch) {
        auto const* past = deps_.known.find(one.work.execution);
        bool const repeated = past != nullptr && past->attempt >= one.work.attempt;
        if (repeated && past->fate == fate::delivered) {
            deps_.report.delivered({one.work.execution, past->attempt, past->client, past->holds});
        } else if (!repeated || past->fate == fate::dropped) {
            if (load() >= settings_.queue_limit)
                break;
            older_waits = older_waits || (past != nullptr && !repeated && past->fate == fate::waiting);
            auto const owner = repeated ? past->client : std::string();
            enqueue(std::move(one), owner);
        }
        ++taken;
    }
    if (older_waits)
        drop_superseded();
    bell_.wake();
    return taken;
}

// `owner`: the client that may have it already, if any.
void carrier::enqueue(protocol::assignment one, std::string const& owner)
{
    deps_.known.set(one.work.execution, {one.work.attempt, fate::waiting});
    auto& queue = owner.empty() ? pending_[one.service] : lanes_[owner].queue;
    queue.push_back({std::move(one), !owner.empty(), deps_.time.now()});
    ++waiting_;
}

void carrier::drop_superseded()
{
    auto const sweep = [this](std::deque<delivery>& queue) {
        waiting_ -= std::erase_if(queue, [this](delivery const& one) { return deps_.known.superseded(one.what.work); });
    };
    for (auto& [service, queue] : pending_)
        sweep(queue);
    for (auto& [instance, to] : lanes_)
        sweep(to.queue);
}

// The assignments of an older epoch are void.
void carrier::new_epoch(std::int64_t epoch)
{
    deps_.report.new_epoch(epoch);
    if (load() != 0)
        drop_all("a new master assigns anew");
    deps_.known.clear();
}

// Reports it to the master, which decides. A repeated assignment that is still on its way must not deliver it.
void carrier::give_back(delivery const& one, std::string const& client, std::string why)
{
    auto const& work = one.what.work;
    deps_.known.set(work.execution, {work.attempt, fate::undelivered});
    deps_.report.undelivered({work.execution, work.attempt, client, std::move(why)});
}

void carrier::drop_all(char const* why)
{
    log::info("delivery", "dropping the assignments that no client has, the master will assign them again",
              {log::reason(why), {"executions", waiting_}});
    for (auto& [service, queue] : pending_)
        drop({}, queue);
    for (auto& [instance, to] : lanes_)
        drop(instance, to.queue);
    waiting_ = 0;
}

void carrier::drop(std::string const& instance, std::deque<delivery>& queue)
{
    for (auto const& one : queue) {
        if (one.bound)
            deps_.known.set(one.what.work.execution, {one.what.work.attempt, fate::dropped, instance});
        else
            deps_.known.forget(one.what.work.execution);
    }
    queue.clear();
}

std::vector<execution_id> carrier::withdraw(std::vector<execution_id> const& executions)
{
    std::vector<execution_id> withdrawn;
    auto const wanted = [&](delivery const& one) {
        return !one.bound &&
               std::find(executions.begin(), executions.end(), one.what.work.execution) != executions.end();
    };
    auto const sweep = [&](std::deque<delivery>& queue) {
        for (auto const& one : queue)
            if (wanted(one))
                withdrawn.push_back(one.what.work.execution);
        waiting_ -= std::erase_if(queue, wanted);
    };
    for (auto& [service, queue] : pending_)
        sweep(queue);
    for (auto& [instance, to] : lanes_)
        sweep(to.queue);
    for (auto const id : withdrawn)
        deps_.known.forget(id);
    return withdrawn;
}

void carrier::client_changed()
{
    bell_.wake();
}

void carrier::client_gone(std::string const& instance)
{
    auto const found = lanes_.find(instance);
    if (found == lanes_.end() || found->second.sending)
        return; // its sender will notice
    std::vector<delivery> left(std::make_move_iterator(found->second.queue.begin()),
                               std::make_move_iterator(found->second.queue.end()));
    waiting_ -= left.size();
    found->second.queue.clear();
    hold_back(instance, left, false, "client gone");
    lanes_.erase(found);
}

awaitable<void> carrier::run()
{
    co_await senders_.around(work());
}

awaitable<void> carrier::work()
{
    for (;;) {
        route_waiting();
        co_await bell_.wait_until(deps_.time, deps_.time.now() + settings_.retry_pause);
    }
}

// May this node deliver? Once other nodes may have counted it as gone, its assignments are void.
bool carrier::look_at_membership()
{
    if (std::exchange(lapses_, deps_.self.lapses()) != deps_.self.lapses() && waiting_ != 0)
        drop_all("this node's membership had lapsed");
    if (deps_.self.valid())
        return true;
    if (waiting_ != 0)
        drop_all("this node could not renew its membership");
    return false;
}

void carrier::route_waiting()
{
    if (!may_deliver())
        return;
    for (auto& [service, queue] : pending_) {
        if (queue.empty())
            continue;
        std::map<std::string, std::vector<known_client*>> able; // by handler, for this pass
        std::deque<delivery> now;
        now.swap(queue);
        for (auto& one : now)
            route(std::move(one), able);
    }
    std::vector<std::string> ready; // gathered first: a sender runs at once and may end and erase its lane
    for (auto const& [instance, to] : lanes_)
        if (!to.queue.empty() && !to.sending)
            ready.push_back(instance);
    for (auto const& instance : ready)
        if (auto const found = lanes_.find(instance); found != lanes_.end() && !found->second.sending)
            start(instance, found->second);
}

void carrier::route(delivery one, std::map<std::string, std::vector<known_client*>>& able)
{
    auto const& work = one.what.work;
    if (one.what.routing == protocol::client_choice::instance) {
        if (deps_.clients.find(one.what.instance) != nullptr) {
            lanes_[one.what.instance].queue.push_back(std::move(one));
        } else if (deps_.clients.read_at() <= one.since) {
            // The client may be new: the master may have read its row before this node did.
            pending_[one.what.service].push_back(std::move(one));
        } else {
            --waiting_;
            give_back(one, one.what.instance, "client gone");
        }
        return;
    }
    auto const [place, fresh] = able.try_emplace(work.handler);
    if (fresh)
        place->second = candidates(deps_.clients.of_service(one.what.service), work.handler, deps_.time.now());
    auto const* client = router_.choose(place->second, one.what.routing, one.what.service, work.handler);
    if (client == nullptr)
        pending_[one.what.service].push_back(std::move(one));
    else
        lanes_[client->row.instance].queue.push_back(std::move(one));
}

void carrier::start(std::string const& instance, lane& to)
{
    to.sending = true;
    senders_.spawn("delivery to a client", send_lane(instance));
}

awaitable<void> carrier::send_lane(std::string instance)
{
    for (;;) {
        bool const able = may_deliver();
        auto& mine = lanes_[instance];
        if (mine.queue.empty() || !able)
            break;
        auto const pause_until = mine.not_before;
        if (pause_until > deps_.time.now()) {
            co_await deps_.time.sleep_until(pause_until);
            continue;
        }
        auto const count = std::min(mine.queue.size(), settings_.group);
        auto const end = mine.queue.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<delivery> group(std::make_move_iterator(mine.queue.begin()), std::make_move_iterator(end));
        mine.queue.erase(mine.queue.begin(), end);
        waiting_ -= count;
        under_way_ += count;
        co_await send_group(instance, group);
        under_way_ -= count;
    }
    auto const found = lanes_.find(instance);
    found->second.sending = false;
    if (found->second.queue.empty())
        lanes_.erase(found);
}

void carrier::trace(std::string const& instance, std::vector<delivery> const& group)
{
    if (!deps_.trace.kept())
        return;
    std::vector<execution_id> executions;
    executions.reserve(group.size());
    for (auto const& one : group)
        executions.push_back(one.what.work.execution);
    deps_.trace.deliver(deps_.epochs.value(), instance, executions);
}

std::string carrier::dispatch_text(std::vector<delivery>& group)
{
    protocol::dispatch_request request;
    request.epoch = deps_.epochs.value();
    request.node = deps_.self.self().incarnation;
    request.number = ++sent_;
    request.executions.reserve(group.size());
    for (auto& one : group)
        request.executions.push_back(std::move(one.what.work)); // lent: payloads are not copied
    auto text = to_text(request);
    for (std::size_t i = 0; i < group.size(); ++i)
        group[i].what.work = std::move(request.executions[i]);
    return text;
}

awaitable<void> carrier::send_group(std::string instance, std::vector<delivery>& group)
{
    auto const epoch = deps_.epochs.value();
    auto const lapses = deps_.self.lapses();
    if (deps_.clients.find(instance) == nullptr) {
        hold_back(instance, group, false, "client gone");
        co_return;
    }
    auto text = dispatch_text(group);
    trace(instance, group);
    auto const outcome = co_await deps_.stub.dispatch(instance, std::move(text));
    if (epoch != deps_.epochs.value())
        co_return; // the group is void; the new master asks the clients
    std::erase_if(group, [this](delivery const& one) { return deps_.known.superseded(one.what.work); });
    if (!deps_.self.valid() || lapses != deps_.self.lapses())
        let_go(instance, group, outcome.answer);
    else if (outcome.answer)
        settle(instance, group, *outcome.answer);
    else
        hold_back(instance, group, outcome.maybe_there, outcome.why);
}

void carrier::settle(std::string const& instance, std::vector<delivery>& group, protocol::dispatch_answer const& answer)
{
    std::unordered_map<execution_id, protocol::dispatch_ack> acks;
    for (auto const& one : answer.executions)
        acks[one.execution] = one;
    std::vector<delivery> unanswered;
    for (auto& one : group) {
        auto const found = acks.find(one.what.work.execution);
        if (found == acks.end())
            unanswered.push_back(std::move(one));
        else
            settle_one(instance, std::move(one), found->second);
    }
    if (!unanswered.empty())
        hold_back(instance, unanswered, true, "no word on some executions");
}

void carrier::settle_one(std::string const& instance, delivery one, protocol::dispatch_ack const& answer)
{
    auto const& work = one.what.work;
    bool const runs_earlier = answer.answer == protocol::ack::running && answer.holds < work.attempt;
    int const earlier = runs_earlier ? answer.holds : 0;
    switch (answer.answer) {
    case protocol::ack::accepted:
    case protocol::ack::running:
    case protocol::ack::finished:
        deps_.known.set(work.execution, {work.attempt, fate::delivered, instance, earlier});
        deps_.report.delivered({work.execution, work.attempt, instance, earlier});
        return;
    case protocol::ack::busy:
        avoid(instance, settings_.retry_pause);
        break;
    case protocol::ack::draining:
        avoid(instance, unreachable_pause);
        if (auto* client = deps_.clients.find(instance))
            client->row.state = storage::client_state::draining;
        break;
    case protocol::ack::no_handler:
        if (auto* client = deps_.clients.find(instance))
            client->handlers.erase(work.handler);
        break;
    case protocol::ack::invalid:
        give_back(one, {}, "the client cannot read this execution");
        return;
    }
    one.bound = false;
    std::vector<delivery> single;
    single.push_back(std::move(one));
    back(single);
}

// This node may have counted as gone while the group was on its way. An execution that the client did not take is not
// sent again, because the master asks the clients and opens the next attempt.
void carrier::let_go(std::string const& instance, std::vector<delivery>& group,
                     std::optional<protocol::dispatch_answer> const& answer)
{
    std::unordered_map<execution_id, protocol::dispatch_ack> taken;
    if (answer)
        for (auto const& one : answer->executions)
            if (one.answer <= protocol::ack::finished)
                taken[one.execution] = one;
    std::deque<delivery> left;
    for (auto& one : group) {
        if (auto const found = taken.find(one.what.work.execution); found != taken.end()) {
            settle_one(instance, std::move(one), found->second);
            continue;
        }
        one.bound = true; // it may have arrived
        left.push_back(std::move(one));
    }
    drop(instance, left);
}

// That client certainly did not take them: any client may get them.
void carrier::back(std::vector<delivery>& group)
{
    for (auto& one : group) {
        ++waiting_;
        auto& queue = pending_[one.what.service];
        queue.push_back(std::move(one));
    }
    bell_.wake();
}

// There is no answer for these. An execution that may have reached the client stays bound to it until the client
// answers or is gone.
void carrier::hold_back(std::string const& instance, std::vector<delivery>& group, bool maybe_there,
                        std::string const& why)
{
    bool const gone = deps_.clients.find(instance) == nullptr;
    std::vector<delivery> free;
    for (auto& one : group) {
        one.bound = one.bound || maybe_there;
        if (gone && (one.bound || one.what.routing == protocol::client_choice::instance)) {
            give_back(one, instance, "client gone");
        } else if (one.bound || one.what.routing == protocol::client_choice::instance) {
            auto& mine = lanes_[instance];
            mine.not_before = deps_.time.now() + settings_.retry_pause;
            mine.queue.push_back(std::move(one));
            ++waiting_;
        } else {
            free.push_back(std::move(one));
        }
    }
    if (!gone) {
        log::warn("delivery", "a group did not reach its client, trying again",
                  {log::reason(why), {"client", instance}, {"executions", group.size()}});
        avoid(instance, unreachable_pause);
    }
    back(free);
}

void carrier::avoid(std::string const& instance, duration span)
{
    if (auto* client = deps_.clients.find(instance))
        client->avoid_until = std::max(client->avoid_until, deps_.time.now() + span);
}

} // namespace baton::trigger
