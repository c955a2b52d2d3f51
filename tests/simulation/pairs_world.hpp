#pragma once
// A simulated cluster under the plan of a run: two nodes, the clients of three services, and web, all of them the real
// code on virtual time. Records the facts that the judges judge.

#include "libs/sim/sim.hpp"
#include "tests/simulation/pairs_client.hpp"
#include "tests/simulation/pairs_plan.hpp"
#include "tests/simulation/pairs_store.hpp"
#include "web/site.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace pairs_sim {

class pairs_world {
public:
    explicit pairs_world(std::uint64_t seed);
    ~pairs_world();

    facts play();

private:
    // The cluster (pairs_world.cpp).
    void start_node(std::size_t index);
    void start_client(std::size_t index);
    void pass_until(duration at); // from the begin
    void pass(duration span);
    int master() const;
    conduct behave(std::int64_t task, std::int64_t execution, int attempt);
    void add_tasks();
    void settle();
    int open_rows();

    // Actions (pairs_actions.cpp). Each is sent by a person of its own, so that they may overlap.
    struct plain_request {
        http::verb method = http::verb::get;
        std::string target{};
        json body{};
    };
    void act(planned_action const& planned);
    awaitable<void> act_by_web(planned_action planned);
    plain_request request_of(planned_action const& planned);
    awaitable<http::response> call(http::verb method, std::string const& target, json const& body);
    awaitable<void> ask(performed_action& act, http::verb method, std::string const& target, json const& body);
    awaitable<void> edit(performed_action& act);
    awaitable<void> change_scope(performed_action& act);
    void retarget(performed_action& act, std::string const& sql);
    awaitable<void> rerun(performed_action& act);
    awaitable<void> touch_execution(performed_action& act);
    awaitable<void> pause(performed_action& act);
    awaitable<void> set_up();
    awaitable<std::int64_t> create(std::string const& path, json const& document); // its id
    void note_scope(int slots);
    std::vector<std::int64_t> ids_of(std::string const& sql);

    // Events (pairs_events.cpp).
    void happen(planned_event const& planned);
    void kill_node(std::size_t index, duration down);
    void stop_node(std::size_t index, duration down);
    void end_process(std::size_t index, baton::simulation::node_process* stopped, duration down, duration patience);
    void kill_client(std::size_t index, duration down);
    void drain_client(std::size_t index, duration down);
    void harm_client(planned_event const& planned, happened_event& seen);
    void harm_node(planned_event const& planned, happened_event& seen);
    void harm_store(planned_event const& planned, happened_event& seen);
    awaitable<void> drain_by_web(std::string instance, duration span);
    awaitable<void> run_large(int task);
    awaitable<void> forget_old();
    awaitable<void> resume_all();
    void heal();

    // Rows (pairs_read.cpp).
    void watch_deletions();
    void read_tables();

    utc_time utc() const { return stage_.time.utc(); } // never steps
    int from(int least, int most);
    std::string id_of(int task) const { return std::to_string(ids_.at(static_cast<std::size_t>(task))); }

    // More members than usual: one world has its processes, its draw and its record.
    std::uint64_t seed_;
    plan plan_;
    sim::stage stage_;
    std::unique_ptr<played_store> store_;
    std::mt19937_64 chance_;
    facts seen_;
    client_records records_;
    baton::simulation::node_options node_options_;
    std::vector<std::string> addresses_;
    std::vector<std::unique_ptr<baton::simulation::node_process>> nodes_;
    std::vector<client_options> places_; // of the clients
    std::vector<std::unique_ptr<played_client>> clients_;
    sim::host& web_host_;
    baton::simulation::node_stores web_stores_;
    std::unique_ptr<http::client> web_http_;
    std::unique_ptr<baton::web::site> site_;
    http::handler routes_;
    std::vector<std::int64_t> ids_; // of the drawn tasks
    std::int64_t calendar_ = 0;
    bool hangs_ = false; // some handlers
    int processes_ = 0;
    int acting_ = 0; // actions without an answer yet
};

} // namespace pairs_sim
