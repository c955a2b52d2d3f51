#include "tests/simulation/bad_neighbour.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>

namespace baton::simulation {

namespace {

constexpr char healthy_project[] = "healthy";
constexpr char bad_project[] = "neighbour"; // see cluster_world::open_rows()
constexpr duration healthy_period = 500ms;
constexpr duration latest_begin = 250ms; // shorter than any time-out or pause that a bad client causes
constexpr std::size_t crowd = 5;         // clients that die together
constexpr int cancels_at_once = 20;

protocol::task_definition periodic(char const* project, std::string name, duration period, utc_time from,
                                   utc_time until)
{
    auto task = make_task(std::move(name), from, until);
    task.project = project;
    task.schedule.kind = protocol::schedule_kind::fixed_rate;
    task.schedule.every = period;
    return task;
}

} // namespace

bad_neighbour::bad_neighbour(cluster_world& world) : world_(world)
{
    draw();
    client_place place;
    place.project = healthy_project;
    place.fetches = world.stage().random.below(2) == 0;
    place.spared = true;
    place.slots = 200; // its own executions make it wait for nothing
    world_.add_client(std::move(place));
}

void bad_neighbour::draw()
{
    conduct const conducts[] = {conduct::mute,     conduct::refusing,        conduct::slow,
                                conduct::nonsense, conduct::unacknowledging, conduct::idle};
    auto& chance = world_.stage().random;
    auto const drawn = chance.below(std::size(conducts) + 3);
    auto const how = conducts[chance.below(std::size(conducts))];
    if (drawn < std::size(conducts)) {
        kind_ = kind::one_bad_client;
        conduct_ = conducts[drawn];
        add_clients(2); // the other is honest
    } else if (drawn == std::size(conducts)) {
        kind_ = kind::no_clients;
        world_.note_fault("the neighbour has no clients");
    } else if (drawn == std::size(conducts) + 1) {
        kind_ = kind::cancel_storm;
        conduct_ = how;
        add_clients(1);
    } else {
        kind_ = kind::mass_death;
        add_clients(crowd);
    }
}

void bad_neighbour::add_clients(std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        client_place place;
        place.project = bad_project;
        place.fetches = i % 2 == 1;
        place.spared = true;
        if (i == 0 && world_.stage().random.below(3) == 0) // else it proves its address first
            place.how = conduct_;
        clients_.push_back(world_.add_client(std::move(place)));
    }
}

void bad_neighbour::begin(utc_time from, utc_time judged_from, utc_time judged_until)
{
    add_tasks(from, judged_until);
    asio::co_spawn(world_.stage().loop, act(judged_from, judged_until), asio::detached);
    auto const task = periodic(healthy_project, "healthy", healthy_period, judged_from, judged_until);
    healthy_ = {world_.add(task).task.id, task.name, instants_of(healthy_period, judged_from, judged_until)};
}

void bad_neighbour::add_tasks(utc_time from, utc_time until)
{
    auto const period = kind_ == kind::no_clients ? 500ms : kind_ == kind::cancel_storm ? 1s : 2s;
    auto often = periodic(bad_project, "often", period, from, until);
    auto shards = periodic(bad_project, "broadcast", 10s, from, until);
    shards.routing = protocol::routing::broadcast;
    if (kind_ == kind::cancel_storm)
        often.handler = shards.handler = "long";
    world_.add(often);
    world_.add(shards);
}

awaitable<void> bad_neighbour::act(utc_time judged_from, utc_time until)
{
    auto& stage = world_.stage();
    while (stage.time.utc() < judged_from) {
        auto const pause = std::min(stage.random_between(2s, 10s), judged_from - stage.time.utc());
        co_await stage.time.sleep_for(pause);
        auto const span = std::min(stage.random_between(1s, 20s), until - stage.time.utc());
        co_await annoy(span);
    }
    auto const rest = until - stage.time.utc();
    if (rest > 0us)
        co_await annoy(rest);
}

awaitable<void> bad_neighbour::annoy(duration span)
{
    auto& time = world_.stage().time;
    auto const end = time.now() + span;
    if (conduct_ != conduct::honest)
        world_.behave(clients_.front(), conduct_);
    if (kind_ == kind::cancel_storm)
        world_.note_fault(fmt::format("cancels of the neighbour's executions for {} ms", span / 1ms));
    while (time.now() < end) {
        if (kind_ == kind::cancel_storm)
            co_await world_.cancel_open(bad_project, cancels_at_once);
        else if (kind_ == kind::mass_death)
            kill_all();
        auto const pause = kind_ == kind::cancel_storm ? duration{1s} : duration{6s};
        auto const next = std::min(end, time.now() + pause);
        co_await time.sleep_until(next);
    }
    if (conduct_ != conduct::honest)
        world_.behave(clients_.front(), conduct::honest);
}

void bad_neighbour::kill_all()
{
    auto const down = world_.stage().random_between(500ms, 3s);
    for (auto const client : clients_)
        world_.kill_client(client, down);
}

std::string bad_neighbour::problems() const
{
    auto wrong = firing_problems(world_, healthy_);
    for (auto const& row : world_.firings(healthy_.task)) {
        auto const late = row.started_at - row.scheduled_at;
        if (row.started_at == 0 || late > latest_begin.count())
            wrong += describe(healthy_.name, row, fmt::format("began {} us late beside a bad neighbour", late));
    }
    return wrong;
}

} // namespace baton::simulation
