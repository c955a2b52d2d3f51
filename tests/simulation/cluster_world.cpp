#include "tests/simulation/cluster_world.hpp"

#include "libs/schedule/plan.hpp"
#include "libs/storage/statement.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <sstream>

namespace baton::simulation {

cluster_world::cluster_world(std::uint64_t seed, std::size_t nodes, std::size_t clients, int slots,
                             node_options options)
    : stage_(seed), nodes_(nodes), slots_(slots), options_(options), ids_(stage_.time, stage_.random)
{
    stage_.make_tables();
    direct_ = stage_.database.direct();
    for (std::size_t i = 0; i < nodes; ++i)
        node_addresses_.push_back(fmt::format("http://t{}:7800", i));
    for (std::size_t i = 0; i < nodes; ++i)
        start_node(i);
    for (std::size_t i = 0; i < clients; ++i)
        add_client("default");
    stage_.time.observe([this] { check_masters(); });
}

cluster_world::~cluster_world()
{
    stage_.time.observe({});
    stage_.end();
}

void cluster_world::start_node(std::size_t index)
{
    if (!nodes_.at(index))
        nodes_[index] = std::make_unique<node_process>(stage_, fmt::format("t{}", index), processes_++, options_,
                                                       sim::clock_error{.wall = clock_step_});
}

void cluster_world::start_client(std::size_t index)
{
    if (clients_.at(index))
        return;
    client_options options;
    options.name = fmt::format("c{}", index);
    options.number = processes_++;
    options.nodes = node_addresses_;
    auto const& place = places_.at(index);
    options.slots = place.slots == 0 ? slots_ : place.slots;
    options.project = place.project;
    options.fetches = place.fetches;
    options.how = place.how;
    options.remember = memory_;
    options.kill = [this, index] { stage_.run_after(1us, [this, index] { kill_client(index, 1s); }); };
    clients_[index] = std::make_unique<client_process>(stage_, options, runs_,
                                                       [this](handler_run const& start) { check_start(start); });
}

void cluster_world::add_client(std::string project)
{
    client_place place;
    place.project = std::move(project);
    place.fetches = clients_.size() % 2 == 1;
    add_client(std::move(place));
}

std::size_t cluster_world::add_client(client_place place)
{
    auto const index = clients_.size();
    if (!place.spared)
        unspared_.push_back(index);
    places_.push_back(std::move(place));
    clients_.emplace_back();
    start_client(index);
    return index;
}

// The process object is destroyed after its coroutines have unwound, which happens before any time passes.
void cluster_world::kill_node(std::size_t index, duration down)
{
    if (!nodes_.at(index) || !nodes_[index]->host().alive())
        return;
    ++seen_.kills;
    note_fault(fmt::format("t{} is killed, and down for {} ms", index, down / 1ms));
    nodes_[index]->kill();
    stage_.run_after(1us, [this, index] { nodes_[index].reset(); });
    stage_.run_after(1us + down, [this, index] { start_node(index); });
}

bool cluster_world::stop_node(std::size_t index, duration limit)
{
    constexpr duration for_ever = 24h;
    nodes_.at(index)->node().stop();
    bool const ended = stage_.time.run_until([&] { return nodes_[index]->ended(); }, limit);
    kill_node(index, for_ever);
    return ended;
}

void cluster_world::kill_client(std::size_t index, duration down)
{
    if (!clients_.at(index) || !clients_[index]->host().alive())
        return;
    ++seen_.kills;
    note_fault(fmt::format("c{} is killed, and down for {} ms", index, down / 1ms));
    clients_[index]->host().kill();
    stage_.run_after(1us, [this, index] { clients_[index].reset(); });
    stage_.run_after(1us + down, [this, index] { start_client(index); });
}

void cluster_world::freeze_node(std::size_t index, duration span)
{
    if (!nodes_.at(index) || !nodes_[index]->host().alive())
        return;
    ++seen_.freezes;
    note_fault(fmt::format("t{} is frozen for {} ms", index, span / 1ms));
    nodes_[index]->freeze_for(span);
}

void cluster_world::freeze_work(std::size_t index, duration span)
{
    if (!nodes_.at(index) || !nodes_[index]->host().alive())
        return;
    ++seen_.freezes;
    note_fault(fmt::format("the working loop of t{} is frozen for {} ms", index, span / 1ms));
    nodes_[index]->host().freeze_for(span);
}

void cluster_world::freeze_client(std::size_t index, duration span)
{
    if (!clients_.at(index) || !clients_[index]->host().alive())
        return;
    ++seen_.freezes;
    note_fault(fmt::format("c{} is frozen for {} ms", index, span / 1ms));
    clients_[index]->host().freeze_for(span);
}

void cluster_world::hold_sessions(std::size_t index, duration span)
{
    begin_slowly(span, [&] { nodes_.at(index)->hold_sessions(); });
}

void cluster_world::hold_decisions(std::size_t index, duration span)
{
    begin_slowly(span, [&] { nodes_.at(index)->hold_decisions(); });
}

// The calls of the database that begin now take so long.
void cluster_world::begin_slowly(duration span, std::function<void()> const& calls)
{
    auto const usual = stage_.database.faults;
    stage_.database.faults.min_latency = stage_.database.faults.max_latency = span / 2;
    calls();
    stage_.time.settle();
    stage_.database.faults = usual;
}

void cluster_world::settle()
{
    constexpr duration least = 20s; // clients and nodes count as gone after 15 s and 4 s
    auto const end = stage_.time.now() + 1min;
    pass(least);
    while (open_rows() != 0 && stage_.time.now() < end)
        pass(1s);
}

void cluster_world::step_clock(duration by)
{
    clock_step_ += by;
    stage_.database.step_clock(by);
}

int cluster_world::master() const
{
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i] && nodes_[i]->host().alive() && nodes_[i]->node().leading())
            return static_cast<int>(i);
    return -1;
}

void cluster_world::check_masters()
{
    int masters = 0;
    for (auto const& one : nodes_)
        masters += one && one->host().alive() && one->node().leading() ? 1 : 0;
    if (masters > 1) {
        ++seen_.two_masters;
        record_incident("TWO MASTERS");
    }
}

// A live process that the cluster counts as gone continues its handlers while their executions are sent again. That is
// the "at least once" of docs/architecture.md, which is counted apart from doubled executions.
void cluster_world::check_start(handler_run const& start)
{
    ++seen_.handler_starts;
    stage_.log.note(fmt::format("{} starts execution {} attempt {}", start.instance, start.execution, start.attempt));
    if (auto const task = tasks_.find(start.task); task != tasks_.end() && task->second != start.project)
        record_incident(fmt::format("STRANGER: execution {} of project {} starts in {}, a client of project {}",
                                    start.execution, task->second, start.instance, start.project));
    auto const [first, last] = runs_of_.equal_range(start.execution);
    runs_of_.emplace_hint(last, start.execution, runs_.size()); // where it is appended after this
    for (auto each = first; each != last && each->second < runs_.size(); ++each) {
        auto const& earlier = runs_[each->second];
        if (!earlier.host->alive() || (earlier.ended && !earlier.succeeded))
            continue;
        if (counted_as_gone(earlier.instance)) {
            ++seen_.after_client_gone;
            continue;
        }
        ++seen_.doubled;
        record_incident(fmt::format("DOUBLED: {} starts execution {} attempt {}, but attempt {} {} in {} since {:.6f}",
                                    start.instance, start.execution, start.attempt, earlier.attempt,
                                    earlier.ended ? "succeeded" : "runs", earlier.instance,
                                    static_cast<double>(earlier.began.time_since_epoch() / 1us) / 1e6));
    }
}

bool cluster_world::counted_as_gone(std::string const& instance)
{
    int gone = 0;
    stage_.database.inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*) FROM client WHERE instance = :instance AND state = 'gone'", soci::use(instance),
            soci::into(gone);
    });
    return gone != 0;
}

void cluster_world::record_incident(std::string text)
{
    stage_.log.note(text);
    std::istringstream tail(stage_.log.tail());
    std::string events;
    for (std::string line; std::getline(tail, line);)
        if (line.find("database call") == std::string::npos)
            events += "\n    " + line;
    seen_.incidents.push_back(text + events);
}

storage::edit_result cluster_world::add(protocol::task_definition task)
{
    task.service = cluster_service;
    storage::edit_result out;
    auto insert = [&]() -> awaitable<void> {
        storage::tasks repository(*direct_, schedule::plan_edit, 500ms);
        out = co_await repository.create(ids_, task);
    };
    stage_.play(insert());
    tasks_[out.task.id] = task.project;
    return out;
}

std::vector<cluster_world::ledger_row> cluster_world::firings(task_id task)
{
    std::vector<ledger_row> rows;
    stage_.database.inspect([&](soci::session& sql) {
        storage::statement ask(sql);
        ask.select(
            "id", "scheduled_at", "state",
            "COALESCE(started_at, (SELECT MIN(a.started_at) FROM attempt a WHERE a.execution_id = execution.id))",
            "ended_at", "attempt", "deaths", "reason");
        ask(" FROM execution WHERE task_id = ", task, " AND run_key = 0 ORDER BY scheduled_at");
        ask.each([&](storage::row& cells) {
            ledger_row& found = rows.emplace_back();
            found.id = cells.number();
            found.scheduled_at = cells.number();
            found.state = cells.text();
            found.started_at = cells.maybe_number().value_or(0);
            found.ended_at = cells.maybe_number().value_or(0);
            found.attempt = cells.small();
            found.deaths = cells.small();
            found.reason = cells.maybe_text().value_or("");
        });
    });
    return rows;
}

std::vector<storage::term_record> cluster_world::terms()
{
    std::vector<storage::term_record> out;
    std::string const name_space = "master";
    auto read = [&]() -> awaitable<void> {
        storage::terms history(*direct_, *direct_);
        out = co_await history.list(name_space, std::nullopt, 1'000);
    };
    stage_.play(read());
    std::reverse(out.begin(), out.end());
    return out;
}

int cluster_world::open_rows()
{
    int count = 0;
    stage_.database.inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*) FROM execution WHERE due_at IS NOT NULL AND project <> 'neighbour'", soci::into(count);
    });
    return count;
}

std::vector<std::size_t> cluster_world::clients_of_nodes()
{
    std::vector<std::size_t> counts;
    for (auto const& one : nodes_)
        if (one && one->host().alive())
            counts.push_back(one->node().clients());
    return counts;
}

int cluster_world::gone_clients()
{
    int count = 0;
    stage_.database.inspect(
        [&](soci::session& sql) { sql << "SELECT COUNT(*) FROM client WHERE state = 'gone'", soci::into(count); });
    return count;
}

} // namespace baton::simulation
