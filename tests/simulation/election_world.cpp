#include "tests/simulation/election_world.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <functional>

namespace baton::simulation {

namespace {

constexpr duration read_limit = 1s;

trigger::election_settings settings()
{
    trigger::election_settings how;
    how.tick = 1s;
    how.ttl = 3s;
    how.margin = 250ms;
    return how;
}

sim::database_faults usual_faults()
{
    sim::database_faults bad;
    bad.hurdle = 0.05;
    bad.hurdle_most = 1500ms;
    bad.stall = 0.03;
    bad.stall_most = 5s;
    bad.lose_request = 0.02;
    bad.lose_reply = 0.03;
    return bad;
}

// With pings at this rate the usual weather would never let a guard stand for long.
sim::database_faults gentle_faults()
{
    auto bad = usual_faults();
    bad.hurdle = 0.005;
    bad.stall = 0.003;
    bad.lose_request = 0.001;
    bad.lose_reply = 0.002;
    return bad;
}

sim::database_faults storm()
{
    auto bad = usual_faults();
    bad.hurdle = 0.5;
    bad.hurdle_most = 800ms;
    bad.stall = 0.3;
    bad.stall_most = 900ms;
    bad.lose_reply = 0.3;
    return bad;
}

// True while it exists.
struct while_serving {
    int& count;
    explicit while_serving(int& which) : count(which) { ++count; }
    ~while_serving() { --count; }
    while_serving(while_serving const&) = delete;
};

sim::clock_error some_clock(random_source& random)
{
    auto const spread = [&random](double most) { return (random.fraction() * 2 - 1) * most; };
    return {.boot = duration{static_cast<std::int64_t>(random.below(1'000'000'000'000))},
            .wall = duration{static_cast<std::int64_t>(spread(3600e6))},
            .rate = spread(4e-4)};
}

} // namespace

candidate::candidate(sim::stage& stage, std::string name, int incarnation, flaw what,
                     std::optional<trigger::guard_settings> guarded, report& seen, std::int64_t& last_epoch)
    : stage_(stage),
      host_(stage.add_host(name, some_clock(stage.random))),
      flaw_(what),
      seen_(seen),
      last_epoch_(last_epoch),
      database_(stage.database.connect(host_, {.sessions = 1, .read_limit = read_limit, .idle_limit = 0s})),
      guarding_(stage.database.connect(host_, {.sessions = 1, .read_limit = 4s, .idle_limit = 2s})),
      other_(stage.database.connect(host_, {.sessions = 2, .read_limit = 10s, .idle_limit = 0s})),
      lease_(make_flawed_lease(*database_, fmt::format("{}#{}", name, incarnation), what,
                               [this] { trusted_until_ = host_.time().now() + settings().ttl - settings().margin; })),
      elector_(settings(), {fmt::format("{}#{}", name, incarnation), "http://" + name}, *lease_, host_.time(),
               host_.random(), stage.loop.get_executor())
{
    if (guarded) {
        auto const pinged = [this, wait = guarded->wait] { guarded_until_ = host_.time().now() + wait; };
        guard_ = make_flawed_guard(*guarding_, *other_, what, pinged);
        elector_.guard_by(*guard_, *guarded);
    }
    elector_.on_event([this](trigger::election_event const& event) { promoted(event); });
    host_.spawn(live(), [this] { ended_ = true; });
}

candidate::~candidate() = default;

void candidate::promoted(trigger::election_event const& event)
{
    if (!host_.alive())
        return;
    stage_.log.note(fmt::format("{} {} epoch {}", host_.name(), to_string(event.what), event.epoch));
    if (event.what != trigger::verdict::promoted)
        return;
    ++seen_.terms;
    if (elector_.began_by().how == trigger::succession::way::guard)
        ++seen_.succeeded;
    if (event.epoch <= last_epoch_ && believes()) // who stood still may hear too late of what it has won
        blame(stage_.log, seen_, seen_.epoch_went_back, "the epoch WENT BACK");
    last_epoch_ = std::max(last_epoch_, event.epoch);
}

bool candidate::believes()
{
    if (!host_.alive() || epoch() == 0)
        return false;
    if (flaw_ == flaw::no_deadline)
        return true;
    if (flaw_ == flaw::deadline_from_reply)
        return host_.time().now() < trusted_until_;
    if (flaw_ == flaw::ignores_guard)
        return host_.time().now() < elector_.state().lease_until();
    if (flaw_ == flaw::guard_from_reply && elector_.state().guarded())
        return host_.time().now() < std::min(elector_.state().lease_until(), guarded_until_);
    return elector_.state().at(host_.time().now()) == trigger::standing::active;
}

awaitable<void> candidate::live()
{
    trigger::elector::duty const duty = [this](std::int64_t term) { return lead(term); };
    co_await elector_.run(duty);
}

awaitable<void> candidate::lead(std::int64_t term)
{
    while_serving const mine(serving_);
    for (;;) {
        if (elector_.state().active(term, host_.time().now())) {
            ++seen_.acts;
            if (term < last_epoch_)
                blame(stage_.log, seen_, seen_.epoch_went_back, "acts under an OLD EPOCH");
        }
        co_await host_.time().sleep_for(100ms);
    }
}

election_world::election_world(std::uint64_t seed, flaw what, std::size_t nodes, guarding guarded,
                               trigger::guard_settings guard)
    : stage_(seed), flaw_(what), guarded_(guarded), guard_(guard), gentle_(seed % 4 != 0), current_(nodes)
{
    stage_.make_tables();
    for (std::size_t i = 0; i < current_.size(); ++i)
        start(i);
    stage_.time.observe([this] { look(); });
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

void election_world::start(std::size_t which)
{
    auto const name = std::string(1, static_cast<char>('a' + which));
    auto const number = static_cast<int>(all_.size());
    auto const guard = guarded_ == guarding::on ? std::optional(guard_) : std::nullopt;
    all_.push_back(std::make_unique<candidate>(stage_, name, number, flaw_, guard, seen_, last_epoch_));
    current_.at(which) = all_.back().get();
}

void election_world::start_another()
{
    current_.push_back(nullptr);
    start(current_.size() - 1);
}

candidate* election_world::master()
{
    for (auto* const one : current_)
        if (one != nullptr && one->believes())
            return one;
    return nullptr;
}

void election_world::look()
{
    auto const now = stage_.time.now();
    if (was_led_)
        seen_.led += now - looked_at_;
    looked_at_ = now;
    int masters = 0;
    for (auto* const one : current_)
        if (one != nullptr)
            masters += one->believes() ? 1 : 0;
    was_led_ = masters > 0;
    if (masters > 1)
        blame(stage_.log, seen_, seen_.two_masters, "TWO MASTERS");
    if (!stage_.time.at_rest())
        return;
    for (auto* const one : current_)
        if (one != nullptr && one->serving() && one->epoch() == 0)
            blame(stage_.log, seen_, seen_.duty_outside, one->host().name() + " serves OUTSIDE ITS TERM");
}

duration election_world::between(duration least, duration most)
{
    return least + duration{static_cast<std::int64_t>(
                       stage_.random.below(static_cast<std::uint64_t>((most - least).count()) + 1))};
}

void election_world::later(duration after, std::function<void()> what)
{
    auto wait = [](sim::virtual_time& time, duration span, std::function<void()> act) -> awaitable<void> {
        co_await time.sleep_for(span);
        act();
    };
    asio::co_spawn(stage_.loop, wait(stage_.time, after, std::move(what)), asio::detached);
}

void election_world::end_process(std::size_t which, bool cleanly)
{
    auto*& one = current_.at(which);
    if (one == nullptr)
        return;
    auto* const leaving = one;
    if (cleanly) {
        leaving->stop();
        // A process that does not end by itself within its grace is killed by who supervises it.
        later(6s, [this, which, leaving] {
            leaving->host().kill();
            if (current_.at(which) == leaving)
                start(which);
        });
        return;
    }
    leaving->host().kill();
    one = nullptr;
    later(between(10ms, 5s), [this, which] { start(which); });
}

// The master is cut off until its lease has all but run out, and then everybody's statements stall: a renewal and a
// seizure meet.
void election_world::last_gasp()
{
    auto* const victim = master();
    if (victim == nullptr)
        return;
    auto const name = victim->host().name();
    auto const cut = between(200ms, 1800ms);
    stage_.database.part(name);
    later(cut, [this, name] {
        stage_.database.mend(name);
        stage_.database.faults.stall = 0.9;
        stage_.database.faults.stall_most = 900ms;
    });
    later(cut + 4s, [this] { stage_.database.faults = weather_; });
}

// The master at best: for less and for more than its guard or its lease lasts.
void election_world::freeze(std::size_t which, duration span)
{
    auto* const leader = master();
    auto* const victim = leader != nullptr ? leader : current_.at(which);
    if (victim != nullptr)
        victim->host().freeze_for(span);
}

// The session that guards the lease ends, as by an operator's KILL, while the master is well.
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

void election_world::harm_once(bool near_the_end)
{
    ++seen_.faults;
    auto const which = static_cast<std::size_t>(stage_.random.below(current_.size()));
    auto const name = std::string(1, static_cast<char>('a' + which));
    auto const kind = stage_.random.below(guarded_ == guarding::on ? 16 : 14);
    auto const span = between(100ms, 5s);
    if (kind == 12 || kind == 13) {
        freeze(which, span);
    } else if (kind >= 14) {
        kill_guard();
    } else if (kind >= 10) {
        last_gasp();
    } else if (kind >= 8) {
        // Heavy weather: everything is slow, but little of it so slow that it is given up.
        stage_.database.faults = storm();
        later(span * 2, [this] { stage_.database.faults = weather_; });
    } else if (kind < 2) {
        end_process(which, kind == 0);
    } else if (kind == 2) {
        stage_.database.freeze_for(span);
    } else if (kind == 3) {
        stage_.database.crash_for(span);
    } else if (kind == 4 || kind == 5) {
        stage_.database.part(name);
        later(span, [this, name] { stage_.database.mend(name); });
    } else if (kind == 6) {
        stage_.database.step_clock(span);
    } else if (!near_the_end) {
        stage_.database.step_clock(-span / 2); // nobody can seize for as long: no harm close to the healing
    }
}

awaitable<void> election_world::harm(instant until)
{
    for (;;) {
        auto const pause = between(200ms, 6s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        harm_once(stage_.time.now() + 20s > until);
    }
}

report election_world::play(duration faulty)
{
    weather_ = guarded_ == guarding::on && gentle_ ? gentle_faults() : usual_faults();
    stage_.database.faults = weather_;
    asio::co_spawn(stage_.loop, harm(stage_.time.now() + faulty), asio::detached);
    stage_.time.run_for(faulty);
    auto const led = seen_.led;

    // Healing: the last partition ends, the last process starts, what hung is given up. Then the promise holds.
    weather_ = {};
    stage_.database.faults = {};
    stage_.time.run_for(12s);
    for (std::size_t i = 0; i < current_.size(); ++i)
        end_process(i, false);
    stage_.time.run_for(5s);
    auto const how = settings();
    seen_.led_in_time = led_within(how.ttl + 2 * how.tick);
    auto const since = seen_.led;
    stage_.time.run_for(30s);
    seen_.kept_leading = seen_.led - since == 30s;
    seen_.led = led;
    seen_.hash = stage_.log.hash();
    if (seen_.tail.empty())
        seen_.tail = stage_.log.tail();
    return seen_;
}

} // namespace baton::simulation
