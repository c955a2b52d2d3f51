#include "tests/simulation/cluster_world.hpp"

#include <soci/soci.h>
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

void cluster_world::note_fault(std::string text)
{
    stage_.log.note(text);
    faults_.push_back(fmt::format("{} {}", to_rfc3339(stage_.time.utc()), text));
}

std::string cluster_world::faults() const
{
    std::string all = "the faults:\n";
    for (auto const& one : faults_)
        all += "    " + one + "\n";
    return all;
}

std::size_t cluster_world::random_client()
{
    return unspared_.at(stage_.random.below(unspared_.size()));
}

std::string cluster_world::random_host()
{
    auto const index = stage_.random.below(nodes_.size() + unspared_.size());
    return index < nodes_.size() ? fmt::format("t{}", index) : fmt::format("c{}", unspared_[index - nodes_.size()]);
}

void cluster_world::inject_fault()
{
    auto const kind = stage_.random.below(15);
    auto const span = stage_.random_between(100ms, 5s);
    auto const long_span = stage_.random_between(10s, longest_partition);
    auto const a = random_host();
    auto const b = random_host();
    if (kind == 0) {
        if (auto const leader = master(); leader >= 0)
            kill_node(static_cast<std::size_t>(leader), span);
    } else if (kind == 1) {
        kill_node(stage_.random.below(nodes_.size()), span);
    } else if (kind == 2) {
        note_fault(fmt::format("the database is frozen for {} ms", span / 1ms));
        stage_.database.freeze_for(span);
    } else if (kind <= 4) {
        auto const down = kind == 3 ? span : long_span;
        note_fault(fmt::format("the database is down for {} ms", down / 1ms));
        stage_.database.crash_for(down);
    } else if (kind <= 6) {
        freeze_random_process();
    } else if (kind == 7) {
        note_fault(fmt::format("{} cannot reach the database for {} ms", a, span / 1ms));
        stage_.database.partition(a);
        stage_.run_after(span, [this, a] { stage_.database.heal(a); });
    } else if (kind <= 9) {
        note_fault(fmt::format("{} and {} are partitioned for {} ms", a, b, span / 1ms));
        stage_.net.partition(a, b);
        stage_.run_after(span, [this, a, b] { stage_.net.heal(a, b); });
    } else {
        inject_client_fault(span);
    }
}

void cluster_world::inject_client_fault(duration span)
{
    auto const kind = stage_.random.below(5);
    auto const long_span = stage_.random_between(10s, longest_partition);
    auto const client = random_client();
    if (kind <= 1)
        kill_client(client, span);
    else if (kind == 2 || places_[client].fetches)
        partition_client(client, long_span);
    else
        misbehave(client, long_span - 9s);
}

// Partitions a client from all nodes, possibly for so long that it counts as gone while it lives.
void cluster_world::partition_client(std::size_t client, duration span)
{
    note_fault(fmt::format("c{} is partitioned from all nodes for {} ms", client, span / 1ms));
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        auto const from = fmt::format("c{}", client);
        auto const to = fmt::format("t{}", node);
        stage_.net.partition(from, to);
        stage_.run_after(span, [this, from, to] { stage_.net.heal(from, to); });
    }
}

// Afterwards its home has what it missed by its heartbeats, or has given it up.
void cluster_world::misbehave(std::size_t client, duration span)
{
    conduct const kinds[] = {conduct::mute, conduct::refusing, conduct::slow, conduct::nonsense,
                             conduct::unacknowledging};
    behave(client, kinds[stage_.random.below(std::size(kinds))]);
    stage_.run_after(span, [this, client] { behave(client, conduct::honest); });
}

void cluster_world::behave(std::size_t client, conduct how)
{
    note_fault(fmt::format("c{} is {}", client, name_of(how)));
    places_.at(client).how = how;
    if (auto const& process = clients_[client]; process && process->host().alive())
        process->behave(how);
}

awaitable<void> cluster_world::cancel_open(std::string project, int most)
{
    std::vector<std::int64_t> ids;
    stage_.database.inspect([&](soci::session& sql) {
        soci::rowset<std::int64_t> const open =
            (sql.prepare << "SELECT id FROM execution WHERE due_at IS NOT NULL AND cancel_requested_at IS NULL AND "
                            "project = :project ORDER BY due_at LIMIT :most",
             soci::use(project), soci::use(most));
        ids.assign(open.begin(), open.end());
    });
    storage::executions repository(*direct_);
    for (auto const id : ids)
        co_await repository.request_cancel(execution_id{id}, ids_);
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
    auto const index = stage_.random.below(nodes_.size() + unspared_.size());
    auto const leader = master();
    bool const work_only = stage_.random.below(3) == 0; // a step of the working loop that takes so long
    auto const freeze = [&](std::size_t node) { work_only ? freeze_work(node, span) : freeze_node(node, span); };
    if (stage_.random.below(2) == 0 && leader >= 0) {
        freeze(static_cast<std::size_t>(leader));
    } else if (index < nodes_.size()) {
        freeze(index);
    } else {
        freeze_client(unspared_[index - nodes_.size()], stage_.random.below(2) == 0 ? span : long_span);
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
    pass(longest_partition); // the last partition, freeze, restart and misbehaviour
}

} // namespace baton::simulation
