#pragma once

#include "libs/sim/sim.hpp"
#include "tests/simulation/flawed_file.hpp"
#include "tests/simulation/report.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <memory>
#include <string>

// One of several processes on one machine that elect each other over SQLite.
namespace baton::simulation {

struct file_report : report {
    int late_deeds = 0;            // that were committed after one of a higher epoch
    int deeds = 0;                 // that were committed
    bool replaced_in_time = false; // the master that was killed in the end
};

// What they share.
struct machine {
    sim::sqlite_file lease;
    sim::sqlite_file ledger;
    sim::lock_file leader;
    std::string boot;
    sim::clock_error clock;

    machine(sim::stage& stage, std::uint64_t seed);
};

class process {
public:
    process(sim::stage& stage, machine& on, std::string name, int incarnation, file_flaw what, bool guarded,
            file_report& seen, std::int64_t& last_epoch);
    ~process();

    sim::host& host() { return host_; }
    bool believes(); // that it may act now
    std::int64_t epoch() const { return elector_.state().epoch(); }
    bool guarded() const { return guard_ != nullptr; }
    void stop() { elector_.stop(); }

private:
    awaitable<void> live();
    awaitable<void> lead(std::int64_t epoch);
    awaitable<void> act(std::int64_t epoch);
    void heard(trigger::election_event const& event);

    sim::stage& stage_;
    sim::host& host_;
    file_flaw flaw_;
    file_report& seen_;
    std::int64_t& last_epoch_; // that anybody was promoted to
    instant trusted_until_{};  // by file_flaw::deadline_from_reply
    std::unique_ptr<storage::database> leasing_;
    std::unique_ptr<storage::database> deciding_;
    std::unique_ptr<lease::lease_store> lease_;
    std::unique_ptr<lease::guard_store> guard_;
    trigger::elector elector_;
};

} // namespace baton::simulation
