#pragma once

#include "client-sdk/src/runtime.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/protocol/task.hpp"
#include "libs/sim/sim.hpp"
#include "libs/storage/storage.hpp"
#include "trigger/node.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

// Trigger nodes, clients and tasks in one simulation, and what was seen of them.
namespace baton::simulation {

// One call of a handler.
struct handler_run {
    std::int64_t execution = 0;
    int attempt = 1;
    sim::host const* where = nullptr;
    std::string instance; // the name under which the client was registered
    instant began{};
    bool ended = false;
    bool succeeded = false;
};

struct cluster_report {
    int two_masters = 0;  // instants at which two nodes held themselves for active
    int doubled = 0;      // handler starts while an earlier attempt runs in a live process or has succeeded in one
    int after_burial = 0; // such starts where the earlier attempt's client had been counted as gone: at least once
    int handler_starts = 0;
    int kills = 0;
    int freezes = 0;
    std::vector<std::string> incidents; // what was found, each with the events that led to it
};

// A trigger process on a host.
class node_process {
public:
    node_process(sim::stage& stage, std::string const& name, int number, bool guarded);

    sim::host& host() { return host_; }
    trigger::node& node() { return *node_; }

private:
    sim::host& host_;
    std::unique_ptr<storage::database> shared_;
    std::unique_ptr<storage::database> deciding_;
    std::unique_ptr<storage::database> own_;
    std::unique_ptr<storage::database> guarding_;
    std::unique_ptr<lease::lease_store> lease_;
    std::unique_ptr<lease::guard_store> guard_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<trigger::node> node_;
};

// A business service on a host: the SDK with handlers that take virtual time. "work" succeeds, "flaky" fails at times.
class client_process final : public client::executor {
public:
    // `judge` hears of each start of a handler before it runs.
    client_process(sim::stage& stage, std::string const& name, int number, std::vector<std::string> const& nodes,
                   int slots, std::vector<handler_run>& runs, std::function<void(handler_run const&)> judge);

    sim::host& host() { return host_; }
    void start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done) override;

private:
    awaitable<void> handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                           std::size_t run);

    sim::host& host_;
    std::vector<handler_run>& runs_;
    std::function<void(handler_run const&)> judge_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<client::runtime> runtime_;
};

class cluster_world {
public:
    // `slots` of each client, which also queues as many: with few, they are often busy. `guarded`: masters have a
    // guard.
    cluster_world(std::uint64_t seed, std::size_t nodes, std::size_t clients, int slots, bool guarded = true);
    ~cluster_world();

    sim::stage& stage() { return stage_; }
    cluster_report const& seen() const { return seen_; }

    // Registers a task; what storage says of it.
    storage::edit_result add(protocol::task_definition task);

    void pass(duration span) { stage_.time.run_for(span); }
    // Kills, freezes, partitions and losses for so long; then everything is whole and every process up.
    void suffer(duration span);

    void kill_node(std::size_t which, duration down);
    void kill_client(std::size_t which, duration down);
    void freeze_node(std::size_t which, duration span);
    int master() const; // its number, or -1

    struct ledger_row {
        std::int64_t id = 0;
        std::int64_t scheduled_at = 0;
        std::string state;
        std::int64_t started_at = 0; // of its first attempt that did
        std::int64_t ended_at = 0;
        int attempt = 1;
    };
    // The firings of a task (run_key 0), in time order.
    std::vector<ledger_row> firings(task_id task);
    int open_rows();                           // executions that have not ended
    int buried_clients();                      // counted as gone within the last hour
    std::vector<storage::term_record> terms(); // the history, the oldest first

private:
    void start_node(std::size_t which);
    void start_client(std::size_t which);
    void look();
    void judge(handler_run const& start);
    bool buried(std::string const& instance);
    void incident(std::string what);
    awaitable<void> harm(instant until);
    void harm_once();
    void cut_off(std::size_t client, duration span);
    void freeze_some();
    void later(duration after, std::function<void()> what);
    duration between(duration least, duration most);
    std::string some_host();

    sim::stage stage_;
    cluster_report seen_;
    std::vector<handler_run> runs_;
    std::vector<std::unique_ptr<node_process>> nodes_;
    std::vector<std::unique_ptr<client_process>> clients_;
    std::vector<std::string> node_addresses_;
    int slots_;
    bool guarded_;
    int processes_ = 0;
    std::unique_ptr<storage::database> direct_;
    id_generator ids_;
};

} // namespace baton::simulation
