#pragma once

#include "tests/simulation/sqlite_process.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::simulation {

// How long a lease holds and how often it is renewed: the defaults.
constexpr duration ttl = 3s;
constexpr duration tick = 1s;

// Three processes of one machine, faults, and the observations of a run. The seed decides which processes use the lock
// on the file: all of them for half of the seeds, none for a quarter, and some for a quarter.
class sqlite_world {
public:
    explicit sqlite_world(std::uint64_t seed, file_flaw planted = file_flaw::none);
    ~sqlite_world();

    // Injects faults for `faulty`, heals them, runs for a while without faults, and finally kills the master.
    file_report play(duration faulty);

    // For tests that script the events.
    sim::stage& stage() { return stage_; }
    machine& computer() { return machine_; }
    file_report const& seen() const { return record_.seen; }
    process* master();
    void pass(duration span);
    bool led_within(duration span);
    void end_process(process& leaving, bool cleanly = false);
    void reboot();
    void step_wall(duration by);

private:
    static sim::file_faults usual_faults();
    void start(std::size_t index);
    void boot_up();
    void check_invariants();
    awaitable<void> inject_faults(instant until);
    void inject_fault();
    void inject_process_fault(std::uint64_t kind);
    void inject_machine_fault(std::uint64_t kind);
    void stall_at_expiry();
    void stop(process* victim);
    void heal();
    void check_writes();
    bool all_guarded() const;
    process* random_process();
    std::size_t index_of(process const& wanted) const;
    duration around_a_limit();

    sim::stage stage_;
    machine machine_;
    file_flaw flaw_;
    std::uint64_t guarding_;
    sim::file_faults background_faults_; // the faults between stronger ones
    file_election_record record_;
    std::vector<std::unique_ptr<process>> all_; // including dead ones, until they have unwound
    std::vector<process*> current_;             // by index; null while it is down
    duration stop_next_writer_{};
    int boots_ = 0;
    instant checked_at_{};
    bool was_led_ = false;
};

} // namespace baton::simulation
