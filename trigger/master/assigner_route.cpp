#include "trigger/master/assigner.hpp"

#include <algorithm>

namespace baton::trigger {

// Which client or node an execution goes to.

namespace {

constexpr duration look_at_client_again = 100ms; // for a certain client or node that cannot be used now
constexpr duration look_at_full = 1s; // for a client that has all it takes: its end of an execution tells earlier

// No instance's name begins with it.
constexpr char unrouted = '\n';

} // namespace

// An execution that may begin at most once waits at the master for a slot: the end of a node or a client would fail all
// that it has been given.
bool assigner::needs_slot(open_execution const& one)
{
    return one.task->definition.at_most_once();
}

int assigner::free_slots(destination const& there)
{
    return there.to.credit == nullptr ? there.to.room : there.to.credit->left(&credit::slots);
}

bool assigner::is_unrouted(ready_queue::need const& what)
{
    return what.instance.starts_with(unrouted);
}

// Executions for which no client fits wait under the client that they wish for, so that they stand in nobody's way.
ready_queue::need assigner::need_of(open_execution& one)
{
    auto need = client_need(one);
    need.forced = scope_.open.is_forced(one);
    return need;
}

ready_queue::need assigner::client_need(open_execution& one)
{
    auto const& task = one.task->definition;
    auto demand = protocol::demand_for(task.handler, task.route.tag);
    one.target.clear();
    if (!one.shard_instance.empty())
        return {protocol::client_choice::instance, task.handler, one.shard_instance};
    if (!router::decides(one))
        return {protocol::choice_for(task.routing), std::move(demand), {}};
    if (auto const* client = router_.choose(one))
        one.target = client->instance();
    auto name = one.target.empty() ? unrouted + task.route.instance : one.target;
    return {protocol::client_choice::instance, std::move(demand), std::move(name)};
}

// Those that a client fits by now are looked at anew. All of a queue wish for the same.
ready_queue::placement assigner::route_again(std::deque<execution_id> const& first, std::size_t most, utc_time round)
{
    ready_queue::placement out;
    bool fits = false;
    for (auto const id : first) {
        if (out.taken == most)
            break;
        auto* one = scope_.open.find(id);
        bool const waits = one != nullptr && one->phase == phase::waiting && one->ready;
        if (waits && !skip_if_late(*one, round)) {
            fits = fits || router_.choose(*one) != nullptr;
            if (!fits) {
                out.again = scope_.term.time.now() + look_at_client_again;
                break;
            }
            scope_.open.wait(*one, round);
        }
        ++out.taken;
    }
    return out;
}

// The client was chosen when the execution became due; now it is gone, drains or, where the routing passes over such a
// client, cannot be reached.
bool assigner::is_misrouted(open_execution const& one, listed_client const* client)
{
    if (one.target.empty())
        return false;
    auto const& task = one.task->definition;
    if (client == nullptr || !router::keeps(*client, protocol::demand_for(task.handler, task.route.tag)))
        return true;
    return !client->takes_work && router_.choose(one) != client;
}

bool assigner::free_to_ask(std::string const& node, protocol::service_view service)
{
    if (!usable(node))
        return false;
    bool const busy = traffic_.busy(node);
    if (busy)
        traffic_.stall(node, service);
    return !busy;
}

assigner::destination assigner::destination_of(protocol::service_view service, ready_queue::need const& what,
                                               int wanted)
{
    if (what.choice == protocol::client_choice::instance)
        return named_destination(service, what, wanted);
    destination there;
    there.to = deps_.credits.choose(service, what.handler, wanted, scope_.term.time.now(),
                                    [&](std::string const& node) { return free_to_ask(node, service); });
    bool const only_queue = there.to.credit != nullptr && there.to.credit->left(&credit::slots) <= 0;
    if (what.choice == protocol::client_choice::skip_busy && only_queue)
        there.to = {};
    if (there.to.credit != nullptr)
        there.node = *there.to.credit->node;
    return there;
}

assigner::destination assigner::named_destination(protocol::service_view service, ready_queue::need const& what,
                                                  int wanted)
{
    auto const now = scope_.term.time.now();
    destination there;
    there.to.again = now + look_at_client_again;
    auto const* client = scope_.clients.find(what.instance);
    if (client == nullptr || *client->service != service)
        return there;
    there.client = client;
    if (!free_to_ask(*client->home, service))
        return there;
    auto& own = named_.at(*client);
    if (own.closed_until > now)
        return there;
    there.node = *client->home;
    there.named = &own;
    there.to.credit = deps_.credits.at(there.node, service, what.handler);
    there.to.room = std::clamp(named_.room(*client), 0, wanted);
    there.full = !own.refused && named_.room(*client) <= there.to.room;
    if (there.full)
        there.to.again = now + look_at_full;
    if (own.refused && there.to.room > 0)
        own.closed_until = now + look_at_client_again;
    return there;
}

} // namespace baton::trigger
