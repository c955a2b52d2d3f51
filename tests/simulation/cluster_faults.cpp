#include "tests/simulation/cluster_world.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>

// The faults of a simulated cluster.
namespace baton::simulation {

namespace {

constexpr duration longest_partition = 25s; // and outage; a client counts as gone after 15 s

sim::network_faults bad_network()
{
    sim::network_faults bad;
    bad.spike = 0.02;
    bad.spike_max = 500ms;
    bad.lose_request = 0.01;
    bad.lose_reply = 0.01;
    bad.repeat = 0.01;
    return bad;
}

sim::database_faults bad_database()
{
    sim::database_faults bad;
    bad.spike = 0.02;
    bad.spike_max = 300ms;
    bad.stall = 0.01;
    bad.stall_max = 2s;
    bad.lose_request = 0.003;
    bad.lose_reply = 0.003;
    bad.deadlock = 0.02;
    return bad;
}

} // namespace

std::string cluster_world::random_host()
{
    auto const index = stage_.random.below(nodes_.size() + clients_.size());
    return index < nodes_.size() ? fmt::format("t{}", index) : fmt::format("c{}", index - nodes_.size());
}

void cluster_world::inject_fault()
{
    auto const kind = stage_.random.below(13);
    auto const span = stage_.random_between(100ms, 5s);
    auto const a = random_host();
    auto const b = random_host();
    if (kind == 0) {
        if (auto const leader = master(); leader >= 0)
            kill_node(static_cast<std::size_t>(leader), span);
    } else if (kind == 1) {
        kill_node(stage_.random.below(nodes_.size()), span);
    } else if (kind == 2 || kind == 3) {
        kill_client(stage_.random.below(clients_.size()), span);
    } else if (kind == 4) {
        stage_.database.freeze_for(span);
    } else if (kind == 5) {
        stage_.database.crash_for(span);
    } else if (kind == 9) {
        partition_client(stage_.random.below(clients_.size()), stage_.random_between(10s, longest_partition));
    } else if (kind == 10) {
        stage_.database.crash_for(stage_.random_between(10s, longest_partition));
    } else if (kind >= 11) {
        freeze_random_process();
    } else if (kind == 6) {
        stage_.database.partition(a);
        stage_.run_after(span, [this, a] { stage_.database.heal(a); });
    } else {
        stage_.net.partition(a, b);
        stage_.run_after(span, [this, a, b] { stage_.net.heal(a, b); });
    }
}

// Partitions a client from all nodes, possibly for so long that it counts as gone while it lives.
void cluster_world::partition_client(std::size_t client, duration span)
{
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        auto const from = fmt::format("c{}", client);
        auto const to = fmt::format("t{}", node);
        stage_.net.partition(from, to);
        stage_.run_after(span, [this, from, to] { stage_.net.heal(from, to); });
    }
}

// Freezes the master, or only its working loop, more often than other nodes, for less and for more time than an
// assignment may take, a lease lasts and a node counts as alive. A client may be frozen for so long that it counts as
// gone.
void cluster_world::freeze_random_process()
{
    duration const limits[] = {500ms, 2s, 3s, 4s, 6s, 12s};
    auto const most = limits[stage_.random.below(std::size(limits))];
    auto const span = stage_.random_between(50ms, most);
    auto const long_span = stage_.random_between(100ms, longest_partition);
    auto const index = stage_.random.below(nodes_.size() + clients_.size());
    auto const leader = master();
    bool const work_only = stage_.random.below(3) == 0; // a step of the working loop that takes so long
    auto const freeze = [&](std::size_t node) { work_only ? freeze_work(node, span) : freeze_node(node, span); };
    if (stage_.random.below(2) == 0 && leader >= 0) {
        freeze(static_cast<std::size_t>(leader));
    } else if (index < nodes_.size()) {
        freeze(index);
    } else if (auto const& client = clients_[index - nodes_.size()]; client && client->host().alive()) {
        freeze_client(index - nodes_.size(), stage_.random.below(2) == 0 ? span : long_span);
    }
}

awaitable<void> cluster_world::inject_faults(instant until)
{
    for (;;) {
        auto const pause = stage_.random_between(500ms, 8s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        inject_fault();
    }
}

void cluster_world::run_with_faults(duration span)
{
    stage_.net.faults = bad_network();
    stage_.database.faults = bad_database();
    asio::co_spawn(stage_.loop, inject_faults(stage_.time.now() + span), asio::detached);
    pass(span);
    stage_.net.faults = {};
    stage_.database.faults = {};
    pass(longest_partition); // the last partition, freeze and restart
}

} // namespace baton::simulation
