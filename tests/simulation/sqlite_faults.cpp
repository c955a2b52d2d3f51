#include "tests/simulation/sqlite_world.hpp"

#include <iterator>

// The faults of the processes and of their machine.
namespace baton::simulation {

namespace {

constexpr duration margin = 250ms;
constexpr duration grace = 5s;

// A process is stopped for a little less or more than a limit that it or another process relies on.
constexpr duration limits[] = {50ms, margin, tick, ttl - margin, ttl, ttl + tick, grace};

sim::file_faults slow_disk(sim::file_faults bad)
{
    bad.slow = 0.7;
    bad.slow_max = 900ms;
    return bad;
}

sim::file_faults bad_disk(sim::file_faults bad)
{
    bad.fail = 0.4;
    return bad;
}

} // namespace

sim::file_faults sqlite_world::usual_faults()
{
    sim::file_faults bad;
    bad.slow = 0.02;
    bad.slow_max = 2s;
    bad.fail = 0.01;
    return bad;
}

duration sqlite_world::around_a_limit()
{
    auto const limit = limits[stage_.random.below(std::size(limits))];
    return stage_.random_between(limit * 9 / 10, limit * 11 / 10);
}

// The master for half of the draws, otherwise any process.
process* sqlite_world::random_process()
{
    auto* const one = current_.at(static_cast<std::size_t>(stage_.random.below(current_.size())));
    auto* const leading = master();
    return leading != nullptr && stage_.random.below(2) == 0 ? leading : one;
}

void sqlite_world::stop(process* victim)
{
    auto const span = around_a_limit();
    if (victim != nullptr)
        victim->host().freeze_for(span);
}

// Stops the master until its lease has almost expired, and then slows the disk, so that a renewal and a seizure meet.
void sqlite_world::stall_at_expiry()
{
    auto const span = stage_.random_between(2s, 3s);
    if (auto* const victim = master(); victim != nullptr)
        victim->host().freeze_for(span);
    stage_.run_after(span, [this] { machine_.lease.faults = slow_disk(usual_faults()); });
    stage_.run_after(span + 4s, [this] { machine_.lease.faults = background_faults_; });
}

void sqlite_world::inject_process_fault(std::uint64_t kind)
{
    auto* const victim = random_process();
    if (kind >= 3)
        stop(victim);
    else if (kind == 2)
        stop_next_writer_ = around_a_limit();
    else if (victim != nullptr)
        end_process(*victim, kind == 0);
}

void sqlite_world::inject_machine_fault(std::uint64_t kind)
{
    auto const span = stage_.random_between(100ms, 5s);
    switch (kind) {
    case 0:
        return reboot();
    case 1:
        return machine_.lease.occupy_for(span);
    case 2:
        return machine_.ledger.occupy_for(span * 2);
    case 3:
    case 4:
        machine_.lease.faults = machine_.ledger.faults =
            kind == 3 ? slow_disk(usual_faults()) : bad_disk(usual_faults());
        return stage_.run_after(span * 2,
                                [this] { machine_.lease.faults = machine_.ledger.faults = background_faults_; });
    case 5:
        return step_wall(stage_.random_between(-10s, 10s));
    case 6:
        return step_wall(stage_.random_between(-1h, 1h));
    case 7:
        return machine_.leader.remove();
    case 8:
        machine_.leader.refuse(true);
        return stage_.run_after(span * 2, [this] { machine_.leader.refuse(false); });
    default:
        return stall_at_expiry();
    }
}

void sqlite_world::inject_fault()
{
    ++record_.seen.faults;
    auto const kind = stage_.random.below(18);
    if (kind < 7)
        inject_process_fault(kind);
    else
        inject_machine_fault(kind - 7);
}

awaitable<void> sqlite_world::inject_faults(instant until)
{
    for (;;) {
        auto const pause = stage_.random_between(200ms, 6s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        inject_fault();
    }
}

} // namespace baton::simulation
