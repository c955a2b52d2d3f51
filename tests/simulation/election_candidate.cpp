#include "tests/simulation/election_candidate.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr duration read_limit = 1s;

// True while it exists.
struct while_serving {
    int& count;
    explicit while_serving(int& counter) : count(counter) { ++count; }
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

std::string owner_of(candidate_options const& options)
{
    return fmt::format("{}#{}", options.name, options.incarnation);
}

} // namespace

trigger::election_settings simulated_election_settings()
{
    trigger::election_settings made;
    made.tick = 1s;
    made.ttl = 3s;
    made.margin = 250ms;
    return made;
}

candidate::candidate(sim::stage& stage, candidate_options const& options, election_record& record)
    : stage_(stage),
      host_(stage.add_host(options.name, some_clock(stage.random))),
      flaw_(options.planted),
      record_(record),
      database_(stage.database.connect(host_, {.sessions = 1, .read_limit = read_limit, .idle_limit = 0s})),
      guarding_(stage.database.connect(host_, {.sessions = 1, .read_limit = 4s, .idle_limit = 2s})),
      other_(stage.database.connect(host_, {.sessions = 2, .read_limit = 10s, .idle_limit = 0s})),
      lease_(make_flawed_lease(*database_, owner_of(options), options.planted,
                               [this] {
                                   auto const settings = simulated_election_settings();
                                   trusted_until_ = host_.time().now() + settings.ttl - settings.margin;
                               })),
      elector_(simulated_election_settings(), {owner_of(options), "http://" + options.name},
               {*lease_, host_.time(), host_.random()}, stage.loop.get_executor())
{
    if (auto const& guard = options.guard) {
        auto const pinged = [this, wait = guard->wait] { guarded_until_ = host_.time().now() + wait; };
        guard_ = make_flawed_guard(*guarding_, *other_, options.planted, pinged);
        elector_.guard_by(*guard_, *guard);
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
    ++record_.seen.terms;
    if (elector_.began_by().how == trigger::succession::way::guard)
        ++record_.seen.succeeded;
    if (event.epoch <= record_.last_epoch && may_act()) // a frozen candidate may learn of its promotion too late
        record_violation(stage_.log, record_.seen, record_.seen.epoch_went_back, "the epoch WENT BACK");
    record_.last_epoch = std::max(record_.last_epoch, event.epoch);
}

bool candidate::may_act()
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
            ++record_.seen.acts;
            if (term < record_.last_epoch)
                record_violation(stage_.log, record_.seen, record_.seen.epoch_went_back, "acts under an OLD EPOCH");
        }
        co_await host_.time().sleep_for(100ms);
    }
}

} // namespace baton::simulation
