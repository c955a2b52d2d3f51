#include "tests/simulation/election_world.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <functional>

namespace baton::simulation {

election_world::election_world(std::uint64_t seed, flaw planted, std::size_t nodes, guarding guarded,
                               trigger::guard_settings guard)
    : stage_(seed), flaw_(planted), guarded_(guarded), guard_(guard), mild_(seed % 4 != 0), current_(nodes)
{
    stage_.make_tables();
    for (std::size_t i = 0; i < current_.size(); ++i)
        start(i);
    stage_.time.observe([this] { check_invariants(); });
}

election_world::~election_world()
{
    stage_.time.observe({});
    stage_.end();
}

void election_world::pass(duration span)
{
    stage_.time.run_for(span);
}

bool election_world::led_within(duration span)
{
    return stage_.time.run_until([this] { return master() != nullptr; }, span);
}

void election_world::start(std::size_t index)
{
    auto const name = std::string(1, static_cast<char>('a' + index));
    auto const number = static_cast<int>(all_.size());
    auto const guard = guarded_ == guarding::on ? std::optional(guard_) : std::nullopt;
    candidate_options const options{name, number, flaw_, guard};
    all_.push_back(std::make_unique<candidate>(stage_, options, record_));
    current_.at(index) = all_.back().get();
}

void election_world::start_another()
{
    current_.push_back(nullptr);
    start(current_.size() - 1);
}

candidate* election_world::master()
{
    for (auto* const one : current_)
        if (one != nullptr && one->may_act())
            return one;
    return nullptr;
}

void election_world::check_invariants()
{
    auto const now = stage_.time.now();
    if (was_led_)
        record_.seen.led += now - checked_at_;
    checked_at_ = now;
    int masters = 0;
    for (auto* const one : current_)
        if (one != nullptr)
            masters += one->may_act() ? 1 : 0;
    was_led_ = masters > 0;
    if (masters > 1)
        record_violation(stage_.log, record_.seen, record_.seen.two_masters, "TWO MASTERS");
    if (!stage_.time.at_rest())
        return;
    for (auto* const one : current_)
        if (one != nullptr && one->serving() && one->epoch() == 0)
            record_violation(stage_.log, record_.seen, record_.seen.served_outside_term,
                             one->host().name() + " serves OUTSIDE ITS TERM");
}

report election_world::play(duration faulty)
{
    background_faults_ = background_faults();
    stage_.database.faults = background_faults_;
    asio::co_spawn(stage_.loop, inject_faults(stage_.time.now() + faulty), asio::detached);
    stage_.time.run_for(faulty);
    auto const led = record_.seen.led;

    // Heal: the last partition ends, stalled calls time out, and all processes restart. Then a master must lead again.
    background_faults_ = {};
    stage_.database.faults = {};
    stage_.time.run_for(12s);
    for (std::size_t i = 0; i < current_.size(); ++i)
        end_process(i, false);
    stage_.time.run_for(5s);
    auto const settings = simulated_election_settings();
    record_.seen.led_in_time = led_within(settings.ttl + 2 * settings.tick);
    auto const since = record_.seen.led;
    stage_.time.run_for(30s);
    record_.seen.kept_leading = record_.seen.led - since == 30s;
    record_.seen.led = led;
    record_.seen.hash = stage_.log.hash();
    if (record_.seen.tail.empty())
        record_.seen.tail = stage_.log.tail();
    return record_.seen;
}

} // namespace baton::simulation
