#pragma once

#include "libs/sim/sim.hpp"
#include "libs/storage/executions.hpp"
#include "tests/simulation/limits_facts.hpp"
#include "tests/simulation/limits_master.hpp"
#include "tests/simulation/limits_node.hpp"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace limits_sim {

// Hours of tasks with policies: masters come and go, people run tasks by hand, and runs last. All that is decided at
// instants of the test falls on different parts of a second: firings at its beginning, runs by hand at a quarter, ends
// of runs at a half, edits of limits at six tenths. So what came first is never a matter of milliseconds, but for the
// tokens of rates.
class limits_world {
public:
    limits_world(std::uint64_t seed, duration span);
    ~limits_world() { stage_.end(); }

    // The record of what happened, with the draw that it came from.
    record pass();
    std::string const& faults() const { return node_->faults; }

private:
    void make_tables();
    void add(task const& one);
    void add_client(std::string const& service);
    void add_slave();
    void begin_master();
    void lead_until(utc_time end);
    void run_by_hand();
    void run_one(task const& one);
    void set_limits(scope const& one);
    void edit_limits();
    void pass_until(utc_time at);
    utc_time now() { return stage_.database.utc(); }
    utc_time grid(duration ahead, duration part); // about `ahead` from now, at this part of a second
    int from(int least, int most);
    void exec(std::string const& sql);
    std::set<std::int64_t> read_out();
    void read_executions();

    sim::stage stage_;
    std::mt19937_64 chance_;
    record seen_;
    std::uint64_t seed_;
    sim::host& web_;
    std::unique_ptr<storage::database> database_;
    std::unique_ptr<storage::executions> executions_;
    id_generator ids_;
    std::unique_ptr<played_node> node_;
    std::unique_ptr<trigger::membership> home_;
    std::vector<std::unique_ptr<played_master>> masters_; // of which the last one has yet to lead
    played_master* leads_ = nullptr;
};

} // namespace limits_sim
