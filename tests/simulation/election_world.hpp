#pragma once

#include "libs/sim/sim.hpp"
#include "tests/simulation/flawed_lease.hpp"
#include "tests/simulation/report.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Some electors over one faulty database, and what was seen of them.
namespace baton::simulation {

enum class guarding { off, on };

// One process.
class candidate {
public:
    candidate(sim::stage& stage, std::string name, int incarnation, flaw what,
              std::optional<trigger::guard_settings> guarded, report& seen, std::int64_t& last_epoch);
    ~candidate();

    sim::host& host() { return host_; }
    bool believes(); // that it may act now
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
    report& seen_;
    std::int64_t& last_epoch_;
    instant trusted_until_{}; // by flaw::deadline_from_reply
    instant guarded_until_{}; // by flaw::guard_from_reply
    std::unique_ptr<storage::database> database_;
    std::unique_ptr<storage::database> guarding_;
    std::unique_ptr<storage::database> other_;
    std::unique_ptr<lease::lease_store> lease_;
    std::unique_ptr<lease::guard_store> guard_;
    trigger::elector elector_;
    int serving_ = 0; // the epoch of the duty that runs
    bool ended_ = false;
};

class election_world {
public:
    election_world(std::uint64_t seed, flaw what, std::size_t nodes = 3, guarding guarded = guarding::off,
                   trigger::guard_settings guard = {});
    ~election_world();

    // `faulty` of faults, then healing, then a while of peace.
    report play(duration faulty);

    // For scripts.
    sim::stage& stage() { return stage_; }
    report const& seen() const { return seen_; }
    candidate* master();
    void pass(duration span);
    bool led_within(duration span);
    void kill_guard();
    std::vector<candidate*> const& nodes() const { return current_; }
    // For nodes that start from now on.
    void set_guarding(guarding guarded) { guarded_ = guarded; }
    void set_guard(trigger::guard_settings how) { guard_ = how; }
    void start_another();

private:
    void start(std::size_t which);
    void look();
    awaitable<void> harm(instant until);
    void harm_once(bool near_the_end);
    void last_gasp();
    void freeze(std::size_t which, duration span);
    void end_process(std::size_t which, bool cleanly);
    void later(duration after, std::function<void()> what);
    duration between(duration least, duration most);

    sim::stage stage_;
    flaw flaw_;
    guarding guarded_;
    trigger::guard_settings guard_;
    bool gentle_;
    sim::database_faults weather_; // as it is outside storms
    report seen_;
    std::int64_t last_epoch_ = 0;
    std::vector<std::unique_ptr<candidate>> all_; // the dead too, until they have unwound
    std::vector<candidate*> current_;             // by number; none while it is down
    instant looked_at_{};
    bool was_led_ = false;
};

} // namespace baton::simulation
