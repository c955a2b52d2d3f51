#include "tests/simulation/sqlite_world.hpp"

#include <iterator>

// What befalls the processes and their machine.
namespace baton::simulation {

namespace {

constexpr duration ttl = 3s; // the defaults
constexpr duration tick = 1s;
constexpr duration margin = 250ms;
constexpr duration grace = 5s;

// What a process may be stopped for: a bit less or more than what it or another counts on.
constexpr duration limits[] = {50ms, margin, tick, ttl - margin, ttl, ttl + tick, grace};

sim::file_faults slow_disk(sim::file_faults bad)
{
    bad.slow = 0.7;
    bad.slow_most = 900ms;
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
    bad.slow_most = 2s;
    bad.fail = 0.01;
    return bad;
}

duration sqlite_world::around_a_limit()
{
    auto const limit = limits[stage_.random.below(std::size(limits))];
    return between(limit * 9 / 10, limit * 11 / 10);
}

// The master, or any.
process* sqlite_world::some()
{
    auto* const one = current_.at(static_cast<std::size_t>(stage_.random.below(current_.size())));
    auto* const leading = master();
    return leading != nullptr && stage_.random.below(2) == 0 ? leading : one;
}

void sqlite_world::stop(process* which)
{
    auto const span = around_a_limit();
    if (which != nullptr)
        which->host().freeze_for(span);
}

// The master is stopped until its lease has all but run out, and then the disk is slow: a renewal and a seizure meet.
void sqlite_world::last_gasp()
{
    auto const span = between(2s, 3s);
    if (auto* const victim = master(); victim != nullptr)
        victim->host().freeze_for(span);
    later(span, [this] { machine_.lease.faults = slow_disk(usual_faults()); });
    later(span + 4s, [this] { machine_.lease.faults = weather_; });
}

void sqlite_world::harm_process(std::uint64_t kind)
{
    auto* const which = some();
    if (kind >= 3)
        stop(which);
    else if (kind == 2)
        stop_next_writer_ = around_a_limit();
    else if (which != nullptr)
        end_process(*which, kind == 0);
}

void sqlite_world::harm_machine(std::uint64_t kind)
{
    auto const span = between(100ms, 5s);
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
        return later(span * 2, [this] { machine_.lease.faults = machine_.ledger.faults = weather_; });
    case 5:
        return step_wall(between(-10s, 10s));
    case 6:
        return step_wall(between(-1h, 1h));
    case 7:
        return machine_.leader.remove();
    case 8:
        machine_.leader.refuse(true);
        return later(span * 2, [this] { machine_.leader.refuse(false); });
    default:
        return last_gasp();
    }
}

void sqlite_world::harm_once()
{
    ++seen_.faults;
    auto const kind = stage_.random.below(18);
    if (kind < 7)
        harm_process(kind);
    else
        harm_machine(kind - 7);
}

awaitable<void> sqlite_world::harm(instant until)
{
    for (;;) {
        auto const pause = between(200ms, 6s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        harm_once();
    }
}

} // namespace baton::simulation
