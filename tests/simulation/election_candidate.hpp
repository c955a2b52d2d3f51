#pragma once

#include "libs/sim/sim.hpp"
#include "tests/simulation/flawed_lease.hpp"
#include "tests/simulation/report.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

// One process of a simulated election.
namespace baton::simulation {

trigger::election_settings simulated_election_settings(); // 1 s tick, 3 s ttl, 250 ms margin

struct candidate_options {
    std::string name;
    int incarnation = 0;
    flaw planted = flaw::none;
    std::optional<trigger::guard_settings> guard{}; // none: without a guard
};

// Shared by all candidates of a simulation.
struct election_record {
    report seen{};
    std::int64_t last_epoch = 0; // of the latest promotion
};

class candidate {
public:
    candidate(sim::stage& stage, candidate_options const& options, election_record& record);
    ~candidate();

    sim::host& host() { return host_; }
    bool may_act(); // as the candidate itself judges
    bool serving() const { return serving_ != 0; }
    std::int64_t epoch() const { return elector_.state().epoch(); }
    bool guarded() const { return elector_.state().guarded(); }
    void stop() { elector_.stop(); }
    bool ended() const { return ended_; }

private:
    awaitable<void> live();
    awaitable<void> lead(std::int64_t epoch);
    void promoted(trigger::election_event const& event);

    sim::stage& stage_;
    sim::host& host_;
    flaw flaw_;
    election_record& record_;
    instant trusted_until_{}; // used by flaw::deadline_from_reply
    instant guarded_until_{}; // used by flaw::guard_from_reply
    std::unique_ptr<storage::database> database_;
    std::unique_ptr<storage::database> guarding_;
    std::unique_ptr<storage::database> other_;
    std::unique_ptr<lease::lease_store> lease_;
    std::unique_ptr<lease::guard_store> guard_;
    trigger::elector elector_;
    int serving_ = 0; // number of running duties
    bool ended_ = false;
};

} // namespace baton::simulation
