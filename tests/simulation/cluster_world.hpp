#pragma once

#include "libs/protocol/task.hpp"
#include "tests/simulation/cluster_process.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

// A simulated cluster of trigger nodes and clients, and the observations of a run.
namespace baton::simulation {

struct cluster_report {
    int two_masters = 0;       // instants at which two nodes considered themselves active
    int doubled = 0;           // handler starts while an earlier attempt runs in a live process or has succeeded in one
    int after_client_gone = 0; // such starts after the earlier attempt's client counted as gone (at least once)
    int handler_starts = 0;
    int kills = 0;
    int freezes = 0;
    std::vector<std::string> incidents; // violations, each with the events before it
};

// Where a client belongs, kept when it is started again.
struct client_place {
    std::string project = "default";
    bool fetches = false;
    bool spared = false; // run_with_faults() does it no harm
    int slots = 0;       // 0: as many as the first clients
    conduct how = conduct::honest;
};

class cluster_world {
public:
    // Each client has `slots` slots and queues as many executions; with few slots, clients are often busy.
    cluster_world(std::uint64_t seed, std::size_t nodes, std::size_t clients, int slots, node_options options = {});
    ~cluster_world();

    sim::stage& stage() { return stage_; }
    cluster_report const& seen() const { return seen_; }

    // A further client. The first ones belong to the default project, and each second one fetches.
    void add_client(std::string project);
    std::size_t add_client(client_place place);          // returns its index
    void remember_for(duration span) { memory_ = span; } // what clients added or started again from now on remember
    storage::edit_result add(protocol::task_definition task); // registers a task

    void pass(duration span) { stage_.time.run_for(span); }
    // Passes the time in which silent clients and nodes count as gone, and more while executions are open, up to a
    // minute.
    void settle();
    // Injects kills, freezes, partitions, losses and clients that misbehave for `span`. Afterwards all partitions are
    // healed, all processes run, and all clients are honest but those that are spared.
    void run_with_faults(duration span);

    void kill_node(std::size_t index, duration down); // starts it again after `down`
    // Stops it cleanly; its process is gone when this returns. False: it was not within `limit`, and is killed.
    bool stop_node(std::size_t index, duration limit);
    void kill_client(std::size_t index, duration down);
    void behave(std::size_t client, conduct how); // from now on, also after it is started again
    // Asks for the cancelling of open executions of a project, as a person may, and of no more than so many.
    awaitable<void> cancel_open(std::string project, int most);
    void note_fault(std::string text);
    std::string faults() const; // all until now, with their times, one a line
    void freeze_node(std::size_t index, duration span);
    void freeze_client(std::size_t index, duration span);
    void freeze_work(std::size_t index, duration span); // its working loop only
    // Each of the sessions that most parts of a node share gets a statement that takes so long.
    void hold_sessions(std::size_t index, duration span);
    void hold_decisions(std::size_t index, duration span); // the same for the session of the master's decisions
    int master() const;                                    // its index, or -1
    // Steps the database's clock. The nodes that run keep the old cluster time; a node that starts later has the new
    // one.
    void step_clock(duration by);

    struct ledger_row {
        std::int64_t id = 0;
        std::int64_t scheduled_at = 0;
        std::string state;
        std::int64_t started_at = 0; // the first start of an attempt
        std::int64_t ended_at = 0;
        int attempt = 1;
        int deaths = 0;
        std::string reason{};
    };
    // The firings of a task (run_key 0), in time order.
    std::vector<ledger_row> firings(task_id task);
    int open_rows();                             // executions that have not ended, but those of bad neighbours
    std::vector<std::size_t> clients_of_nodes(); // of the nodes that run, as they hear them
    int gone_clients();                          // clients counted as gone within the last hour
    std::vector<storage::term_record> terms();   // oldest first

private:
    void start_node(std::size_t index);
    void start_client(std::size_t index);
    void begin_slowly(duration span, std::function<void()> const& calls);
    void check_masters();
    void check_start(handler_run const& start);
    bool counted_as_gone(std::string const& instance);
    void record_incident(std::string text);
    awaitable<void> inject_faults(instant until);
    void inject_fault();
    void inject_client_fault(duration span);
    void partition_client(std::size_t client, duration span);
    void misbehave(std::size_t client, duration span);
    void freeze_random_process();
    std::size_t random_client();
    std::string random_host();

    sim::stage stage_;
    cluster_report seen_;
    std::vector<handler_run> runs_;
    std::multimap<std::int64_t, std::size_t> runs_of_; // their indexes, by execution
    std::vector<std::unique_ptr<node_process>> nodes_;
    std::vector<std::unique_ptr<client_process>> clients_;
    std::vector<client_place> places_;  // of the clients
    std::vector<std::size_t> unspared_; // the clients that run_with_faults() may harm
    std::vector<std::string> faults_;
    std::map<task_id, std::string> tasks_; // to their projects
    std::vector<std::string> node_addresses_;
    int slots_;
    node_options options_;
    duration memory_ = client_memory;
    duration clock_step_{};
    int processes_ = 0;
    std::unique_ptr<storage::database> direct_;
    id_generator ids_;
};

} // namespace baton::simulation
