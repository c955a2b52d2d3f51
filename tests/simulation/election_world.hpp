#pragma once

#include "tests/simulation/election_candidate.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// Several electors over one faulty database, and the observations of a run.
namespace baton::simulation {

enum class guarding { off, on };

class election_world {
public:
    election_world(std::uint64_t seed, flaw planted, std::size_t nodes = 3, guarding guarded = guarding::off,
                   trigger::guard_settings guard = {});
    ~election_world();

    // Injects faults for `faulty`, heals them, and then runs for a while without faults.
    report play(duration faulty);

    // For tests that script the events.
    sim::stage& stage() { return stage_; }
    report const& seen() const { return record_.seen; }
    candidate* master();
    void pass(duration span);
    bool led_within(duration span);
    void kill_guard();
    std::vector<candidate*> const& nodes() const { return current_; }
    // These two apply to nodes that start later.
    void set_guarding(guarding guarded) { guarded_ = guarded; }
    void set_guard(trigger::guard_settings settings) { guard_ = settings; }
    void start_another();

private:
    void start(std::size_t index);
    void check_invariants();
    sim::database_faults background_faults() const;
    awaitable<void> inject_faults(instant until);
    void inject_fault(bool near_the_end);
    void stall_at_expiry();
    void freeze(std::size_t index, duration span);
    void end_process(std::size_t index, bool cleanly);

    sim::stage stage_;
    flaw flaw_;
    guarding guarded_;
    trigger::guard_settings guard_;
    bool mild_;
    sim::database_faults background_faults_; // the faults between stronger ones
    election_record record_;
    std::vector<std::unique_ptr<candidate>> all_; // including dead ones, until they have unwound
    std::vector<candidate*> current_;             // by index; null while it is down
    instant checked_at_{};
    bool was_led_ = false;
};

} // namespace baton::simulation
