#pragma once

#include "libs/sim/sim.hpp"
#include "tests/simulation/flawed_file.hpp"
#include "tests/simulation/report.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <memory>
#include <string>

// One of several processes of a machine that share a SQLite file and elect a master.
namespace baton::simulation {

struct file_report : report {
    int late_writes = 0;           // committed after a write of a higher epoch
    int writes = 0;                // committed
    bool replaced_in_time = false; // after the kill of the master at the end
};

// Shared by the processes of one machine.
struct machine {
    sim::sqlite_file lease;
    sim::sqlite_file ledger;
    sim::lock_file leader;
    std::string boot;
    sim::clock_error clock;

    machine(sim::stage& stage, std::uint64_t seed);
};

struct process_options {
    std::string name;
    int incarnation = 0;
    file_flaw planted = file_flaw::none;
    bool guarded = true; // uses the lock on the file
};

// Shared by all processes of a simulation.
struct file_election_record {
    file_report seen{};
    std::int64_t last_epoch = 0; // of the latest promotion
};

class process {
public:
    process(sim::stage& stage, machine& on, process_options const& options, file_election_record& record);
    ~process();

    sim::host& host() { return host_; }
    bool may_act(); // as the process itself judges
    std::int64_t epoch() const { return elector_.state().epoch(); }
    bool guarded() const { return guard_ != nullptr; }
    void stop() { elector_.stop(); }

private:
    awaitable<void> live();
    awaitable<void> lead(std::int64_t epoch);
    awaitable<void> act(std::int64_t epoch);
    void on_event(trigger::election_event const& event);

    sim::stage& stage_;
    sim::host& host_;
    file_flaw flaw_;
    file_election_record& record_;
    instant trusted_until_{}; // used by file_flaw::deadline_from_reply
    std::unique_ptr<storage::database> leasing_;
    std::unique_ptr<storage::database> deciding_;
    std::unique_ptr<lease::lease_store> lease_;
    std::unique_ptr<lease::guard_store> guard_;
    trigger::elector elector_;
};

} // namespace baton::simulation
