#include "tests/simulation/election_world.hpp"

#include <soci/soci.h>

// The faults of a simulated election.
namespace baton::simulation {

namespace {

sim::database_faults usual_faults()
{
    sim::database_faults bad;
    bad.spike = 0.05;
    bad.spike_max = 1500ms;
    bad.stall = 0.03;
    bad.stall_max = 5s;
    bad.lose_request = 0.02;
    bad.lose_reply = 0.03;
    return bad;
}

// The guard pings so often that under the usual faults it would never last.
sim::database_faults mild_faults()
{
    auto bad = usual_faults();
    bad.spike = 0.005;
    bad.stall = 0.003;
    bad.lose_request = 0.001;
    bad.lose_reply = 0.002;
    return bad;
}

sim::database_faults heavy_faults()
{
    auto bad = usual_faults();
    bad.spike = 0.5;
    bad.spike_max = 800ms;
    bad.stall = 0.3;
    bad.stall_max = 900ms;
    bad.lose_reply = 0.3;
    return bad;
}

} // namespace

sim::database_faults election_world::background_faults() const
{
    return guarded_ == guarding::on && mild_ ? mild_faults() : usual_faults();
}

void election_world::end_process(std::size_t index, bool cleanly)
{
    auto*& one = current_.at(index);
    if (one == nullptr)
        return;
    auto* const leaving = one;
    if (cleanly) {
        leaving->stop();
        // Its supervisor kills a process that does not end within its grace period.
        stage_.run_after(6s, [this, index, leaving] {
            leaving->host().kill();
            if (current_.at(index) == leaving)
                start(index);
        });
        return;
    }
    leaving->host().kill();
    one = nullptr;
    stage_.run_after(stage_.random_between(10ms, 5s), [this, index] { start(index); });
}

// Partitions the master until its lease has almost expired, and then stalls all statements, so that a renewal and a
// seizure meet.
void election_world::stall_at_expiry()
{
    auto* const victim = master();
    if (victim == nullptr)
        return;
    auto const name = victim->host().name();
    auto const cut = stage_.random_between(200ms, 1800ms);
    stage_.database.partition(name);
    stage_.run_after(cut, [this, name] {
        stage_.database.heal(name);
        stage_.database.faults.stall = 0.9;
        stage_.database.faults.stall_max = 900ms;
    });
    stage_.run_after(cut + 4s, [this] { stage_.database.faults = background_faults_; });
}

// Freezes the master, if there is one, for less or more time than its guard or its lease lasts.
void election_world::freeze(std::size_t index, duration span)
{
    auto* const leader = master();
    auto* const victim = leader != nullptr ? leader : current_.at(index);
    if (victim != nullptr)
        victim->host().freeze_for(span);
}

// Ends the session that guards the lease, like an operator's KILL, while the master is healthy.
void election_world::kill_guard()
{
    stage_.database.inspect([](soci::session& sql) {
        long long session = 0;
        soci::indicator found = soci::i_null;
        sql << "SELECT baton_lock_holder('baton:master')", soci::into(session, found);
        if (found == soci::i_ok)
            sql << "SELECT baton_kill(" + std::to_string(session) + ")", soci::into(session, found);
    });
    stage_.log.note("the guard's session is killed");
}

void election_world::inject_fault(bool near_the_end)
{
    ++record_.seen.faults;
    auto const index = static_cast<std::size_t>(stage_.random.below(current_.size()));
    auto const name = std::string(1, static_cast<char>('a' + index));
    auto const kind = stage_.random.below(guarded_ == guarding::on ? 16 : 14);
    auto const span = stage_.random_between(100ms, 5s);
    if (kind == 12 || kind == 13) {
        freeze(index, span);
    } else if (kind >= 14) {
        kill_guard();
    } else if (kind >= 10) {
        stall_at_expiry();
    } else if (kind >= 8) {
        // Most calls are slow, but few are so slow that their caller gives up.
        stage_.database.faults = heavy_faults();
        stage_.run_after(span * 2, [this] { stage_.database.faults = background_faults_; });
    } else if (kind < 2) {
        end_process(index, kind == 0);
    } else if (kind == 2) {
        stage_.database.freeze_for(span);
    } else if (kind == 3) {
        stage_.database.crash_for(span);
    } else if (kind == 4 || kind == 5) {
        stage_.database.partition(name);
        stage_.run_after(span, [this, name] { stage_.database.heal(name); });
    } else if (kind == 6) {
        stage_.database.step_clock(span);
    } else if (!near_the_end) {
        stage_.database.step_clock(-span / 2); // blocks every seizure for that time, so not near the end
    }
}

awaitable<void> election_world::inject_faults(instant until)
{
    for (;;) {
        auto const pause = stage_.random_between(200ms, 6s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        inject_fault(stage_.time.now() + 20s > until);
    }
}

} // namespace baton::simulation
