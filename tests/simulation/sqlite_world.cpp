#include "tests/simulation/sqlite_world.hpp"

#include "libs/storage/statement.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr std::size_t processes = 3;
constexpr duration ttl = 3s; // the defaults
constexpr duration tick = 1s;

} // namespace

sqlite_world::sqlite_world(std::uint64_t seed, file_flaw what)
    : stage_(seed), machine_(stage_, seed), flaw_(what), guarding_(seed % 4), current_(processes)
{
    boot_up();
    for (std::size_t i = 0; i < processes; ++i)
        start(i);
    stage_.time.observe([this] { look(); });
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

// The clock since boot begins anew, and nothing tells how it relates to that of the boot before but the boot id.
void sqlite_world::boot_up()
{
    machine_.boot = fmt::format("boot-{}", ++boots_);
    machine_.clock.boot = between(5s, 10min) - stage_.time.now().time_since_epoch();
    stage_.log.note(fmt::format("{} begins at {} us", machine_.boot,
                                (stage_.time.now() + machine_.clock.boot).time_since_epoch().count()));
}

void sqlite_world::start(std::size_t which)
{
    if (current_.at(which) != nullptr)
        return;
    auto const name = std::string(1, static_cast<char>('a' + which));
    auto const number = static_cast<int>(all_.size());
    bool const guarded = guarding_ == 1 ? stage_.random.below(2) == 0 : guarding_ != 0;
    all_.push_back(std::make_unique<process>(stage_, machine_, name, number, flaw_, guarded, seen_, last_epoch_));
    current_.at(which) = all_.back().get();
}

process* sqlite_world::master()
{
    auto const found = std::ranges::find_if(current_, [](process* one) { return one != nullptr && one->believes(); });
    return found != current_.end() ? *found : nullptr;
}

void sqlite_world::look()
{
    auto const now = stage_.time.now();
    if (was_led_)
        seen_.led += now - looked_at_;
    looked_at_ = now;
    int masters = 0;
    for (auto* const one : current_)
        masters += one != nullptr && one->believes() ? 1 : 0;
    was_led_ = masters > 0;
    if (masters > 1)
        blame(stage_.log, seen_, seen_.two_masters, "TWO MASTERS");
    if (auto const* const writer = machine_.lease.writer(); writer != nullptr && stop_next_writer_ > 0us)
        for (auto* const one : current_)
            if (one != nullptr && &one->host() == writer)
                one->host().freeze_for(std::exchange(stop_next_writer_, 0us));
}

duration sqlite_world::between(duration least, duration most)
{
    return least + duration{static_cast<std::int64_t>(
                       stage_.random.below(static_cast<std::uint64_t>((most - least).count()) + 1))};
}

void sqlite_world::later(duration after, std::function<void()> what)
{
    auto wait = [](sim::virtual_time& time, duration span, std::function<void()> act) -> awaitable<void> {
        co_await time.sleep_for(span);
        act();
    };
    asio::co_spawn(stage_.loop, wait(stage_.time, after, std::move(what)), asio::detached);
}

std::size_t sqlite_world::place_of(process const& which) const
{
    return static_cast<std::size_t>(std::ranges::find(current_, &which) - current_.begin());
}

void sqlite_world::end_process(process& leaving, bool cleanly)
{
    auto const which = place_of(leaving);
    if (cleanly && !leaving.host().frozen()) {
        stage_.log.note(leaving.host().name() + " is told to stop");
        leaving.stop();
        // A process that does not end by itself within its grace is killed by who supervises it.
        later(6s, [this, which, &leaving] {
            if (current_.at(which) != &leaving)
                return;
            leaving.host().kill();
            current_.at(which) = nullptr;
            start(which);
        });
        return;
    }
    leaving.host().kill();
    current_.at(which) = nullptr;
    later(between(10ms, 5s), [this, which] { start(which); });
}

void sqlite_world::reboot()
{
    stage_.log.note("the machine starts anew");
    for (std::size_t i = 0; i < processes; ++i) {
        if (current_[i] != nullptr)
            current_[i]->host().kill();
        current_[i] = nullptr;
        later(between(100ms, 8s), [this, i] { start(i); });
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

// What hangs comes back, and every process starts anew. Then the promises hold.
void sqlite_world::heal()
{
    weather_ = {};
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

void sqlite_world::judge_deeds()
{
    machine_.ledger.inspect([this](soci::session& sql) {
        storage::statement ask(sql);
        ask.select("COUNT(*)").column({"COALESCE(SUM(epoch < highest), 0)"});
        ask(" FROM (SELECT epoch, MAX(epoch) OVER (ORDER BY id) AS highest FROM deed)");
        ask.each([this](storage::row& cells) {
            seen_.deeds = cells.small();
            seen_.late_deeds = cells.small();
        });
    });
}

file_report sqlite_world::play(duration faulty)
{
    weather_ = usual_faults();
    machine_.lease.faults = machine_.ledger.faults = weather_;
    asio::co_spawn(stage_.loop, harm(stage_.time.now() + faulty), asio::detached);
    stage_.time.run_for(faulty);
    auto const led = seen_.led;

    heal();
    seen_.led_in_time = led_within(ttl + 2 * tick);
    auto const since = seen_.led;
    pass(10s);
    seen_.kept_leading = seen_.led - since == 10s;

    auto const limit = all_guarded() ? 100ms : ttl + tick;
    if (auto* const last = master(); last != nullptr) {
        end_process(*last);
        seen_.replaced_in_time = led_within(limit);
    }
    judge_deeds();
    seen_.led = led;
    seen_.hash = stage_.log.hash();
    if (seen_.tail.empty())
        seen_.tail = stage_.log.tail();
    return seen_;
}

} // namespace baton::simulation
