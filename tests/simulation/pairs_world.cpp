#include "tests/simulation/pairs_world.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <ctime>

namespace pairs_sim {

namespace {

constexpr std::size_t node_count = 2;
constexpr std::uint64_t sqlite_each = 4; // tens of seeds; the others have the server
constexpr duration longest_end = 120s;   // from the last action to the end of all executions
constexpr char probe_project[] = "probe";

std::uint64_t mix(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

double processor_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Two clients of each service of the drawn tasks, one of those to which they move, and that of the probe.
std::vector<client_options> places_of(plan const& made)
{
    struct place {
        char const* project;
        char const* service;
        bool tagged;
    };
    constexpr place places[]{{"default", plain_service, true},         {"default", plain_service, false},
                             {limited_project, limited_service, true}, {limited_project, limited_service, false},
                             {"default", other_service, true},         {limited_project, other_service, true},
                             {probe_project, "probe", false}};
    std::vector<client_options> out;
    for (auto const& each : places) {
        client_options one;
        one.name = fmt::format("c{}", out.size());
        one.project = each.project;
        one.service = each.service;
        if (each.tagged)
            one.tags = {"gpu"};
        bool const is_probe = one.project == probe_project;
        one.slots = is_probe ? 50 : 6;
        one.queue = is_probe ? 50 : made.queue;
        out.push_back(one);
    }
    return out;
}

} // namespace

pairs_world::pairs_world(std::uint64_t seed)
    : seed_(seed),
      plan_(make_plan(seed)),
      stage_(seed),
      store_(seed / 10 % sqlite_each == 0 ? make_files(stage_, seed) : make_server(stage_)),
      chance_(mix(seed)),
      nodes_(node_count),
      places_(places_of(plan_)),
      clients_(places_.size()),
      web_host_(stage_.add_host("web"))
{
    watch_deletions();
    seen_.seed = seed;
    seen_.dialect = store_->name();
    node_options_.open = [this](sim::host& working, sim::host& electing) { return store_->open(working, electing); };
    node_options_.client_heartbeat = 2s;
    // Some handlers run on for long where a client returns after its ttl, or the retention deletes what has ended.
    hangs_ = std::ranges::any_of(plan_.events, [](planned_event const& each) {
        return each.what == item::freeze_client || each.what == item::retention;
    });
    records_.utc = [this] { return utc(); };
    records_.behave = [this](std::int64_t task, std::int64_t execution, int attempt) {
        return behave(task, execution, attempt);
    };
    for (std::size_t i = 0; i < node_count; ++i)
        addresses_.push_back(fmt::format("http://t{}:7800", i));
    for (std::size_t i = 0; i < node_count; ++i)
        start_node(i);
    for (std::size_t i = 0; i < clients_.size(); ++i)
        start_client(i);
    web_stores_ = store_->open(web_host_, web_host_);
    web_http_ = stage_.net.client_for(web_host_);
    baton::web::settings settings;
    baton::web::dependencies const given{web_host_.time(), web_host_.random(), *web_stores_.shared, *web_stores_.lease,
                                         *web_http_};
    site_ = std::make_unique<baton::web::site>(settings, given);
    routes_ = site_->routes();
}

pairs_world::~pairs_world()
{
    stage_.end();
}

void pairs_world::start_node(std::size_t index)
{
    if (!nodes_.at(index))
        nodes_[index] = std::make_unique<baton::simulation::node_process>(
            stage_, fmt::format("t{}", index), processes_++, node_options_, sim::clock_error{});
}

void pairs_world::start_client(std::size_t index)
{
    if (clients_.at(index))
        return;
    auto options = places_.at(index);
    options.number = processes_++;
    options.nodes = addresses_;
    clients_[index] = std::make_unique<played_client>(stage_, options, records_);
}

int pairs_world::master() const
{
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i] && nodes_[i]->host().alive() && nodes_[i]->node().leading())
            return static_cast<int>(i);
    return -1;
}

int pairs_world::from(int least, int most)
{
    return least + static_cast<int>(chance_() % static_cast<unsigned>(most - least + 1));
}

// A function of the seed and the attempt, so that it does not depend on the order of the calls.
conduct pairs_world::behave(std::int64_t task, std::int64_t execution, int attempt)
{
    auto drawn = mix(seed_ ^ mix(static_cast<std::uint64_t>(execution) * 64 + static_cast<std::uint64_t>(attempt)));
    auto const next = [&](std::uint64_t below) {
        drawn = mix(drawn);
        return drawn % below;
    };
    conduct out;
    // Of a few lengths, so that handlers that begin together often end together.
    out.span = static_cast<int>(1 + next(6)) * 50ms;
    auto const found = seen_.number_of.find(task);
    if (found == seen_.number_of.end())
        return out;
    auto const& drawn_task = seen_.tasks[static_cast<std::size_t>(found->second)];
    if (drawn_task.has(item::long_runs))
        out.span = duration{static_cast<std::int64_t>(800'000 + next(3'200'000))};
    if (drawn_task.has(item::long_runs) && hangs_ && next(100) < (drawn_task.has(item::deaf) ? 50u : 12u))
        out.span = duration{static_cast<std::int64_t>(10'000'000 + next(40'000'000))};
    if (drawn_task.has(item::fails)) {
        // What people run again succeeds more often, and several together.
        auto const sql = fmt::format("SELECT id FROM execution WHERE id = {} AND cause = 'rerun'", execution);
        bool const again = !ids_of(sql).empty();
        out.succeeds = next(100) < (again ? 85u : 50u);
        out.span = again && !drawn_task.has(item::long_runs) ? 100ms : out.span;
    }
    out.final = drawn_task.has(item::final_errors) && next(100) < 40;
    if (drawn_task.has(item::deaf))
        out.deaf_for = duration{static_cast<std::int64_t>(1'000'000 + next(hangs_ ? 60'000'000 : 5'000'000))};
    return out;
}

void pairs_world::pass_until(duration at)
{
    pass(seen_.begin + at - stage_.time.utc());
}

// A cluster that changes its master all the time costs more processor time than it is worth.
void pairs_world::pass(duration span)
{
    constexpr std::size_t most_terms = 100;
    for (auto left = span; left > 0s && !seen_.cut_short; left -= 1s) {
        stage_.time.run_for(std::min<duration>(left, 1s));
        seen_.cut_short = ids_of("SELECT epoch FROM term").size() > most_terms;
    }
}

facts pairs_world::play()
{
    auto const began = processor_seconds();
    stage_.time.run_for(4s);
    seen_.begin = stage_.time.utc() + 1s;
    add_tasks();
    auto action = plan_.actions.begin();
    auto event = plan_.events.begin();
    while (!seen_.cut_short && (action != plan_.actions.end() || event != plan_.events.end())) {
        bool const acts = event == plan_.events.end() || (action != plan_.actions.end() && action->at <= event->at);
        pass_until(acts ? action->at : event->at);
        if (acts)
            act(*action++);
        else
            happen(*event++);
    }
    pass_until(acting + 8s);
    if (!seen_.cut_short)
        heal();
    seen_.judged_until = utc();
    records_.hurry = true;
    settle();
    read_tables();
    seen_.calls = records_.calls;
    seen_.acceptances = records_.acceptances;
    seen_.processor_seconds = processor_seconds() - began;
    return seen_;
}

void pairs_world::add_tasks()
{
    seen_.tasks = plan_.tasks;
    stage_.play(set_up());
    stage_.log.note("the tasks are registered");
}

void pairs_world::settle()
{
    auto const end = stage_.time.now() + longest_end;
    pass(15s);
    while (!seen_.cut_short && open_rows() != 0 && stage_.time.now() < end)
        pass(1s);
    seen_.end = utc();
}

// Those that are due. A fixed delay may have one that lies ahead.
int pairs_world::open_rows()
{
    int count = 0;
    auto const now = baton::to_micros(store_->utc());
    store_->inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*) FROM execution WHERE due_at IS NOT NULL AND due_at <= :now AND project <> 'probe'",
            soci::use(now), soci::into(count);
    });
    return count;
}

} // namespace pairs_sim
