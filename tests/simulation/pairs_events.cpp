#include "libs/base/error.hpp"
#include "libs/storage/retention.hpp"
#include "tests/simulation/pairs_known.hpp"
#include "tests/simulation/pairs_world.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

// Events that happen to the cluster.

namespace pairs_sim {

namespace {

constexpr std::size_t harmed_clients = 4; // the others are spared
constexpr duration grace_of_clients = 4s;
constexpr duration retained_for = 6s; // the least that a node admits is an hour, which is a lot of simulated work
constexpr duration retained_again = 2s;
constexpr char nothing_happens[] = "nothing";

sim::network_faults lost_messages()
{
    sim::network_faults out;
    out.lose_request = 0.1;
    out.lose_reply = 0.1;
    out.repeat = 0.05;
    out.spike = 0.1;
    out.spike_max = 500ms;
    return out;
}

} // namespace

void pairs_world::happen(planned_event const& planned)
{
    happened_event seen{planned.what, utc(), utc() + planned.span, {}};
    switch (planned.what) {
    case item::kill_master:
    case item::stop_master:
    case item::freeze_master:
    case item::cut_node:
    case item::freeze_web:
        harm_node(planned, seen);
        break;
    case item::kill_client:
    case item::drain_client:
    case item::drain_by_web:
    case item::freeze_client:
    case item::hold_client:
        harm_client(planned, seen);
        break;
    default:
        harm_store(planned, seen);
    }
    stage_.log.note(fmt::format("event {} {}", name_of(planned.what), seen.note));
    if (seen.note != nothing_happens)
        seen_.events.push_back(std::move(seen));
}

void pairs_world::kill_node(std::size_t index, duration down)
{
    nodes_[index]->kill();
    stage_.run_after(1us, [this, index] { nodes_[index].reset(); });
    stage_.run_after(1us + down, [this, index] { start_node(index); });
}

void pairs_world::stop_node(std::size_t index, duration down)
{
    nodes_[index]->node().stop();
    end_process(index, nodes_[index].get(), down, 12s);
}

// A process is gone as soon as its node has stopped, which takes less than its drain time.
void pairs_world::end_process(std::size_t index, baton::simulation::node_process* stopped, duration down,
                              duration patience)
{
    constexpr duration interval = 50ms;
    if (nodes_[index].get() != stopped || !stopped->host().alive())
        return;
    if (stopped->ended() || patience <= 0s)
        return kill_node(index, down);
    stage_.run_after(interval, [=, this] { end_process(index, stopped, down, patience - interval); });
}

void pairs_world::harm_node(planned_event const& planned, happened_event& seen)
{
    auto const leader = master();
    auto const index = leader >= 0 ? static_cast<std::size_t>(leader) : chance_() % nodes_.size();
    if (planned.what == item::freeze_web) { // between two statements of an edit
        auto const delay = std::ranges::find_if(seen_.tasks, [](auto const& each) { return each.has(item::delay); });
        bool const any = delay == seen_.tasks.end() || chance_() % 2 == 0;
        act({item::edit_text, any ? static_cast<int>(chance_() % seen_.tasks.size()) : delay->number, {}});
        stage_.run_after(from(1, 6) * 1ms, [this, span = planned.span] { web_host_.freeze_for(span); });
        return;
    }
    if (!nodes_[index] || !nodes_[index]->host().alive()) {
        seen.note = "no node to harm";
        return;
    }
    seen.note = fmt::format("t{}{} for {} ms", index, leader >= 0 ? ", the master," : "", planned.span / 1ms);
    if (planned.what == item::kill_master)
        kill_node(index, planned.span);
    else if (planned.what == item::stop_master) {
        stop_node(index, planned.span);
        seen.ended += 12s;
    } else if (planned.what == item::freeze_master)
        nodes_[index]->freeze_for(planned.span);
    else
        store_->harm(planned.what, planned.span, fmt::format("t{}", index));
}

void pairs_world::kill_client(std::size_t index, duration down)
{
    clients_[index]->kill();
    stage_.run_after(1us, [this, index] { clients_[index].reset(); });
    stage_.run_after(1us + down, [this, index] { start_client(index); });
}

void pairs_world::drain_client(std::size_t index, duration down)
{
    auto* const drained = clients_[index].get();
    drained->drain(grace_of_clients, [] {});
    stage_.run_after(grace_of_clients + 200ms, [this, index, drained, down] {
        if (clients_[index].get() == drained)
            kill_client(index, down);
    });
}

void pairs_world::harm_client(planned_event const& planned, happened_event& seen)
{
    auto const any = chance_() % harmed_clients;
    auto const index = planned.client < 0 ? any : static_cast<std::size_t>(planned.client);
    if (!clients_[index] || !clients_[index]->host().alive()) {
        seen.note = "no client to harm";
        return;
    }
    auto const instance = clients_[index]->instance();
    seen.note = instance;
    if (planned.what == item::kill_client)
        return kill_client(index, planned.span);
    if (planned.what == item::drain_client) {
        seen.ended += grace_of_clients;
        return drain_client(index, planned.span);
    }
    if (planned.what == item::drain_by_web) {
        web_host_.spawn(drain_by_web(instance, planned.span));
        return;
    }
    // `freeze` is so long that the cluster counts it as gone, `hold` is not.
    auto const span = planned.what == item::freeze_client ? client_ttl + 1s + planned.span : planned.span / 2;
    seen.ended = utc() + span;
    if (planned.what == item::freeze_client)
        seen_.silences.push_back({instance, utc(), seen.ended});
    clients_[index]->host().freeze_for(span);
}

void pairs_world::harm_store(planned_event const& planned, happened_event& seen)
{
    auto span = planned.span;
    if (planned.what == item::lose_messages) {
        stage_.net.faults = lost_messages();
        return stage_.run_after(span, [this] { stage_.net.faults = {}; });
    }
    if (planned.what == item::oversize)
        return web_host_.spawn(run_large(static_cast<int>(chance_() % seen_.tasks.size())));
    if (planned.what == item::retention) {
        seen.ended = utc() + retained_again * 10;
        return web_host_.spawn(forget_old());
    }
    if (planned.what == item::clock_forward || planned.what == item::clock_back) {
        span = std::clamp<duration>(span, 2s, 6s); // the run ends soon after, and cluster time stands still as long
        seen.ended = utc() + span;
    }
    seen.note = fmt::format("for {} ms", span / 1ms);
    if (!store_->harm(planned.what, span, {}))
        seen.note = nothing_happens;
}

awaitable<void> pairs_world::drain_by_web(std::string instance, duration span)
{
    auto const path = "/api/v1/clients/" + http::percent_encode(instance);
    auto const drain = path + "/drain";
    auto const resume = path + "/resume";
    json const begins{{"by", "ann"}, {"reason", "drawn"}};
    json const ends{{"by", "ann"}};
    co_await call(http::verb::post, drain, begins);
    co_await web_host_.time().sleep_for(span);
    co_await call(http::verb::post, resume, ends);
}

// A run with about the longest payload that there may be.
awaitable<void> pairs_world::run_large(int task)
{
    auto const path = "/api/v1/tasks/" + id_of(task) + "/run?allow_unserved=true";
    json const body{{"payload", {{"k", "b"}, {"text", std::string(60'000, 'y')}}}};
    co_await call(http::verb::post, path, body);
}

// As the master's janitor does, with the same statements.
awaitable<void> pairs_world::forget_old()
{
    baton::storage::retention table(*web_stores_.shared);
    baton::storage::ledger_place const from;
    for (int left = 10; left > 0; --left) {
        auto const limit = store_->utc() - retained_for;
        try {
            co_await table.executions(limit, from, 500);
        } catch (baton::unavailable const&) {
            // The next round goes on.
        }
        co_await web_host_.time().sleep_for(retained_again);
    }
}

awaitable<void> pairs_world::resume_all()
{
    json const nothing;
    for (std::string const scope : {"projects/default", "services/default/plain", "services/default/other",
                                    "projects/limits", "services/limits/limited", "services/limits/other"}) {
        auto const path = "/api/v1/" + scope + "/resume";
        co_await call(http::verb::post, path, nothing);
    }
}

// Faults end, processes that are down start again, and all pauses end.
void pairs_world::heal()
{
    stage_.net.faults = {};
    store_->heal();
    stage_.time.run_for(12s);
    stage_.play(resume_all());
}

} // namespace pairs_sim
