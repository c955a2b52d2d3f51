#include "tests/simulation/sqlite_world.hpp"

#include "libs/storage/statement.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr std::size_t processes = 3;

} // namespace

sqlite_world::sqlite_world(std::uint64_t seed, file_flaw planted)
    : stage_(seed), machine_(stage_, seed), flaw_(planted), guarding_(seed % 4), current_(processes)
{
    boot_up();
    for (std::size_t i = 0; i < processes; ++i)
        start(i);
    stage_.time.observe([this] { check_invariants(); });
}

sqlite_world::~sqlite_world()
{
    stage_.time.observe({});
    stage_.end();
}

void sqlite_world::pass(duration span)
{
    stage_.time.run_for(span);
}

bool sqlite_world::led_within(duration span)
{
    return stage_.time.run_until([this] { return master() != nullptr; }, span);
}

// The boot clock restarts at an unrelated time; only the boot id distinguishes the boots.
void sqlite_world::boot_up()
{
    machine_.boot = fmt::format("boot-{}", ++boots_);
    machine_.clock.boot = stage_.random_between(5s, 10min) - stage_.time.now().time_since_epoch();
    stage_.log.note(fmt::format("{} begins at {} us", machine_.boot,
                                (stage_.time.now() + machine_.clock.boot).time_since_epoch().count()));
}

void sqlite_world::start(std::size_t index)
{
    if (current_.at(index) != nullptr)
        return;
    auto const name = std::string(1, static_cast<char>('a' + index));
    auto const number = static_cast<int>(all_.size());
    bool const guarded = guarding_ == 1 ? stage_.random.below(2) == 0 : guarding_ != 0;
    process_options const options{name, number, flaw_, guarded};
    all_.push_back(std::make_unique<process>(stage_, machine_, options, record_));
    current_.at(index) = all_.back().get();
}

process* sqlite_world::master()
{
    auto const found = std::ranges::find_if(current_, [](process* one) { return one != nullptr && one->may_act(); });
    return found != current_.end() ? *found : nullptr;
}

void sqlite_world::check_invariants()
{
    auto const now = stage_.time.now();
    if (was_led_)
        record_.seen.led += now - checked_at_;
    checked_at_ = now;
    int masters = 0;
    for (auto* const one : current_)
        masters += one != nullptr && one->may_act() ? 1 : 0;
    was_led_ = masters > 0;
    if (masters > 1)
        record_violation(stage_.log, record_.seen, record_.seen.two_masters, "TWO MASTERS");
    if (auto const* const writer = machine_.lease.writer(); writer != nullptr && stop_next_writer_ > 0us)
        for (auto* const one : current_)
            if (one != nullptr && &one->host() == writer)
                one->host().freeze_for(std::exchange(stop_next_writer_, 0us));
}

std::size_t sqlite_world::index_of(process const& wanted) const
{
    return static_cast<std::size_t>(std::ranges::find(current_, &wanted) - current_.begin());
}

void sqlite_world::end_process(process& leaving, bool cleanly)
{
    auto const index = index_of(leaving);
    if (cleanly && !leaving.host().frozen()) {
        stage_.log.note(leaving.host().name() + " is told to stop");
        leaving.stop();
        // Its supervisor kills a process that does not end within its grace period.
        stage_.run_after(6s, [this, index, &leaving] {
            if (current_.at(index) != &leaving)
                return;
            leaving.host().kill();
            current_.at(index) = nullptr;
            start(index);
        });
        return;
    }
    leaving.host().kill();
    current_.at(index) = nullptr;
    stage_.run_after(stage_.random_between(10ms, 5s), [this, index] { start(index); });
}

void sqlite_world::reboot()
{
    stage_.log.note("the machine restarts");
    for (std::size_t i = 0; i < processes; ++i) {
        if (current_[i] != nullptr)
            current_[i]->host().kill();
        current_[i] = nullptr;
        stage_.run_after(stage_.random_between(100ms, 8s), [this, i] { start(i); });
    }
    boot_up();
}

void sqlite_world::step_wall(duration by)
{
    stage_.log.note(fmt::format("the wall clock steps by {} us", by.count()));
    machine_.clock.wall += by;
    for (auto* const one : current_)
        if (one != nullptr)
            one->host().time().step_wall(by);
}

// Ends all faults and restarts every process.
void sqlite_world::heal()
{
    background_faults_ = {};
    machine_.lease.faults = machine_.ledger.faults = {};
    stop_next_writer_ = 0us;
    pass(12s);
    for (auto* const one : current_)
        if (one != nullptr)
            end_process(*one);
    pass(5s);
}

bool sqlite_world::all_guarded() const
{
    return std::ranges::all_of(current_, [](process* one) { return one != nullptr && one->guarded(); });
}

void sqlite_world::check_writes()
{
    machine_.ledger.inspect([this](soci::session& sql) {
        storage::statement ask(sql);
        ask.select("COUNT(*)").column({"COALESCE(SUM(epoch < highest), 0)"});
        ask(" FROM (SELECT epoch, MAX(epoch) OVER (ORDER BY id) AS highest FROM term_write)");
        ask.each([this](storage::row& cells) {
            record_.seen.writes = cells.small();
            record_.seen.late_writes = cells.small();
        });
    });
}

file_report sqlite_world::play(duration faulty)
{
    background_faults_ = usual_faults();
    machine_.lease.faults = machine_.ledger.faults = background_faults_;
    asio::co_spawn(stage_.loop, inject_faults(stage_.time.now() + faulty), asio::detached);
    stage_.time.run_for(faulty);
    auto const led = record_.seen.led;

    heal();
    record_.seen.led_in_time = led_within(ttl + 2 * tick);
    auto const since = record_.seen.led;
    pass(10s);
    record_.seen.kept_leading = record_.seen.led - since == 10s;

    auto const limit = all_guarded() ? 100ms : ttl + tick;
    if (auto* const last = master(); last != nullptr) {
        end_process(*last);
        record_.seen.replaced_in_time = led_within(limit);
    }
    check_writes();
    record_.seen.led = led;
    record_.seen.hash = stage_.log.hash();
    if (record_.seen.tail.empty())
        record_.seen.tail = stage_.log.tail();
    return record_.seen;
}

} // namespace baton::simulation
