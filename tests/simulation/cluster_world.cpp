#include "tests/simulation/cluster_world.hpp"

#include "libs/schedule/plan.hpp"
#include "libs/storage/statement.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace baton::simulation {

namespace {

constexpr char service[] = "shop";
constexpr duration longest_cut = 25s; // of a client, or of the database; a client is buried after 15 s

trigger::settings node_settings(std::string const& name)
{
    trigger::settings how;
    how.name = name;
    how.address = "http://" + name + ":7800";
    return how;
}

sim::network_faults bad_network()
{
    sim::network_faults bad;
    bad.hurdle = 0.02;
    bad.hurdle_most = 500ms;
    bad.lose_request = 0.01;
    bad.lose_reply = 0.01;
    bad.repeat = 0.01;
    return bad;
}

sim::database_faults bad_database()
{
    sim::database_faults bad;
    bad.hurdle = 0.02;
    bad.hurdle_most = 300ms;
    bad.stall = 0.01;
    bad.stall_most = 2s;
    bad.lose_request = 0.003;
    bad.lose_reply = 0.003;
    bad.deadlock = 0.02;
    return bad;
}

} // namespace

node_process::node_process(sim::stage& stage, std::string const& name, int number, bool guarded)
    : host_(stage.add_host(name)),
      shared_(stage.database.connect(host_, {.sessions = 4, .read_limit = 5s})),
      deciding_(stage.database.connect(host_, {.sessions = 1, .read_limit = 5s})),
      own_(stage.database.connect(host_, {.sessions = 1, .read_limit = 1s})),
      guarding_(stage.database.connect(host_, {.sessions = 1, .read_limit = 4s, .idle_limit = 2s})),
      lease_(lease::make_clocked_lease(*own_, "master")),
      guard_(guarded ? lease::make_named_guard(*guarding_, *shared_, "master") : nullptr),
      http_(stage.net.client_for(host_))
{
    auto const how = node_settings(name);
    auto const who = fmt::format("{}#{}", name, number);
    trigger::world const world{
        host_.time(), host_.random(),         *shared_, *deciding_, *lease_, guard_.get(), *http_,
        who,          "the-secret-of-" + who, nullptr};
    node_ = std::make_unique<trigger::node>(stage.loop.get_executor(), how, world);
    stage.net.attach(host_, http::parse_url(how.address), node_->routes());
    host_.spawn(node_->run());
}

client_process::client_process(sim::stage& stage, std::string const& name, int number,
                               std::vector<std::string> const& nodes, int slots, std::vector<handler_run>& runs,
                               std::function<void(handler_run const&)> judge)
    : host_(stage.add_host(name)), runs_(runs), judge_(std::move(judge)), http_(stage.net.client_for(host_))
{
    client::runtime_settings how;
    how.limits.slots = slots;
    how.limits.queue = slots;
    how.handlers = {"work", "flaky"};
    for (auto const& address : nodes)
        how.link.nodes.push_back(http::parse_url(address));
    how.link.identity.service = service;
    how.link.identity.instance = fmt::format("{}#{}", name, number);
    how.link.identity.address = "http://" + name + ":9000";
    how.link.identity.secret = "the-secret-of-" + how.link.identity.instance;
    client::runtime_parts const parts{host_.time(), host_.random(), *http_, *this};
    runtime_ = std::make_unique<client::runtime>(stage.loop.get_executor(), parts, how);
    stage.net.attach(host_, http::parse_url(how.link.identity.address), runtime_->handler());
    host_.spawn(runtime_->run());
}

void client_process::start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done)
{
    handler_run run;
    run.execution = work->work.execution;
    run.attempt = work->work.attempt;
    run.where = &host_;
    run.instance = runtime_->instance();
    run.began = host_.time().now();
    judge_(run);
    runs_.push_back(std::move(run));
    host_.spawn(handle(std::move(work), std::move(done), runs_.size() - 1));
}

awaitable<void> client_process::handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                                       std::size_t run)
{
    // Most are short, some take longer than a "running" report does.
    bool const is_long = host_.random().below(10) == 0;
    auto const most = is_long ? 3'000'000u : 200'000u;
    auto const end = host_.time().now() + duration{static_cast<std::int64_t>(1'000 + host_.random().below(most))};
    bool const fails = work->work.handler == "flaky" && host_.random().below(3) == 0;
    while (host_.time().now() < end && !work->stop.stop_requested()) {
        auto const next = std::min(end, host_.time().now() + 100ms);
        co_await host_.time().sleep_until(next);
    }
    client::outcome what;
    what.succeeded = !fails && !work->stop.stop_requested();
    what.error = what.succeeded ? "" : "no luck";
    what.ended = client::read(host_.time());
    client::normalise(what);
    runs_[run].ended = true;
    runs_[run].succeeded = what.succeeded;
    done(std::move(what));
}

cluster_world::cluster_world(std::uint64_t seed, std::size_t nodes, std::size_t clients, int slots, bool guarded)
    : stage_(seed), nodes_(nodes), clients_(clients), slots_(slots), guarded_(guarded), ids_(stage_.time, stage_.random)
{
    stage_.make_tables();
    direct_ = stage_.database.direct();
    for (std::size_t i = 0; i < nodes; ++i)
        node_addresses_.push_back(fmt::format("http://t{}:7800", i));
    for (std::size_t i = 0; i < nodes; ++i)
        start_node(i);
    for (std::size_t i = 0; i < clients; ++i)
        start_client(i);
    stage_.time.observe([this] { look(); });
}

cluster_world::~cluster_world()
{
    stage_.time.observe({});
    stage_.end();
}

void cluster_world::start_node(std::size_t which)
{
    if (!nodes_.at(which))
        nodes_[which] = std::make_unique<node_process>(stage_, fmt::format("t{}", which), processes_++, guarded_);
}

void cluster_world::start_client(std::size_t which)
{
    if (!clients_.at(which))
        clients_[which] =
            std::make_unique<client_process>(stage_, fmt::format("c{}", which), processes_++, node_addresses_, slots_,
                                             runs_, [this](handler_run const& start) { judge(start); });
}

// The remains of a process go once its coroutines have unwound, which happens before any time passes.
void cluster_world::kill_node(std::size_t which, duration down)
{
    if (!nodes_.at(which) || !nodes_[which]->host().alive())
        return;
    ++seen_.kills;
    nodes_[which]->host().kill();
    later(1us, [this, which] { nodes_[which].reset(); });
    later(1us + down, [this, which] { start_node(which); });
}

void cluster_world::kill_client(std::size_t which, duration down)
{
    if (!clients_.at(which) || !clients_[which]->host().alive())
        return;
    ++seen_.kills;
    clients_[which]->host().kill();
    later(1us, [this, which] { clients_[which].reset(); });
    later(1us + down, [this, which] { start_client(which); });
}

void cluster_world::freeze_node(std::size_t which, duration span)
{
    if (!nodes_.at(which) || !nodes_[which]->host().alive())
        return;
    ++seen_.freezes;
    nodes_[which]->host().freeze_for(span);
}

int cluster_world::master() const
{
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i] && nodes_[i]->host().alive() && nodes_[i]->node().leading())
            return static_cast<int>(i);
    return -1;
}

void cluster_world::look()
{
    int masters = 0;
    for (auto const& one : nodes_)
        masters += one && one->host().alive() && one->node().leading() ? 1 : 0;
    if (masters > 1) {
        ++seen_.two_masters;
        incident("TWO MASTERS");
    }
}

// A live process that the cluster has counted as gone goes on with what it runs, and what it runs goes out again: that
// is the "at least once" of docs/architecture.md, which the design counts apart as what a client's death costs.
void cluster_world::judge(handler_run const& start)
{
    ++seen_.handler_starts;
    stage_.log.note(fmt::format("{} starts execution {} attempt {}", start.instance, start.execution, start.attempt));
    for (auto const& earlier : runs_) {
        if (earlier.execution != start.execution || !earlier.where->alive() || (earlier.ended && !earlier.succeeded))
            continue;
        if (buried(earlier.instance)) {
            ++seen_.after_burial;
            continue;
        }
        ++seen_.doubled;
        incident(fmt::format("DOUBLED: {} starts execution {} attempt {}, but attempt {} {} in {} since {:.6f}",
                             start.instance, start.execution, start.attempt, earlier.attempt,
                             earlier.ended ? "succeeded" : "runs", earlier.instance,
                             static_cast<double>(earlier.began.time_since_epoch() / 1us) / 1e6));
    }
}

bool cluster_world::buried(std::string const& instance)
{
    int gone = 0;
    stage_.database.inspect([&](soci::session& sql) {
        sql << "SELECT COUNT(*) FROM client WHERE instance = :instance AND state = 'gone'", soci::use(instance),
            soci::into(gone);
    });
    return gone != 0;
}

void cluster_world::incident(std::string what)
{
    stage_.log.note(what);
    std::istringstream tail(stage_.log.tail());
    std::string events;
    for (std::string line; std::getline(tail, line);)
        if (line.find("database call") == std::string::npos)
            events += "\n    " + line;
    seen_.incidents.push_back(what + events);
}

storage::edit_result cluster_world::add(protocol::task_definition task)
{
    task.service = service;
    storage::edit_result out;
    auto insert = [&]() -> awaitable<void> {
        storage::tasks repository(*direct_, schedule::plan_edit, 500ms);
        out = co_await repository.create(ids_, task);
    };
    stage_.play(insert());
    return out;
}

duration cluster_world::between(duration least, duration most)
{
    auto const width = static_cast<std::uint64_t>((most - least).count());
    return least + duration{static_cast<std::int64_t>(stage_.random.below(width + 1))};
}

void cluster_world::later(duration after, std::function<void()> what)
{
    auto wait = [](sim::virtual_time& time, duration span, std::function<void()> act) -> awaitable<void> {
        co_await time.sleep_for(span);
        act();
    };
    asio::co_spawn(stage_.loop, wait(stage_.time, after, std::move(what)), asio::detached);
}

std::string cluster_world::some_host()
{
    auto const which = stage_.random.below(nodes_.size() + clients_.size());
    return which < nodes_.size() ? fmt::format("t{}", which) : fmt::format("c{}", which - nodes_.size());
}

void cluster_world::harm_once()
{
    auto const kind = stage_.random.below(13);
    auto const span = between(100ms, 5s);
    auto const a = some_host();
    auto const b = some_host();
    if (kind == 0) {
        if (auto const which = master(); which >= 0)
            kill_node(static_cast<std::size_t>(which), span);
    } else if (kind == 1) {
        kill_node(stage_.random.below(nodes_.size()), span);
    } else if (kind == 2 || kind == 3) {
        kill_client(stage_.random.below(clients_.size()), span);
    } else if (kind == 4) {
        stage_.database.freeze_for(span);
    } else if (kind == 5) {
        stage_.database.crash_for(span);
    } else if (kind == 9) {
        cut_off(stage_.random.below(clients_.size()), between(10s, longest_cut));
    } else if (kind == 10) {
        stage_.database.crash_for(between(10s, longest_cut));
    } else if (kind >= 11) {
        freeze_some();
    } else if (kind == 6) {
        stage_.database.part(a);
        later(span, [this, a] { stage_.database.mend(a); });
    } else {
        stage_.net.part(a, b);
        later(span, [this, a, b] { stage_.net.mend(a, b); });
    }
}

// From all nodes, for so long that it may count as gone while it lives.
void cluster_world::cut_off(std::size_t client, duration span)
{
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        auto const from = fmt::format("c{}", client);
        auto const to = fmt::format("t{}", node);
        stage_.net.part(from, to);
        later(span, [this, from, to] { stage_.net.mend(from, to); });
    }
}

// The master more often than others: shorter and longer than an assignment may take, a lease lasts, a node counts as
// alive; a client at times for so long that it counts as gone.
void cluster_world::freeze_some()
{
    duration const limits[] = {500ms, 2s, 3s, 4s, 6s, 12s};
    auto const most = limits[stage_.random.below(std::size(limits))];
    auto const span = between(50ms, most);
    auto const at_most_a_burial = between(100ms, longest_cut);
    auto const which = stage_.random.below(nodes_.size() + clients_.size());
    auto const leader = master();
    if (stage_.random.below(2) == 0 && leader >= 0) {
        freeze_node(static_cast<std::size_t>(leader), span);
    } else if (which < nodes_.size()) {
        freeze_node(which, span);
    } else if (auto const& client = clients_[which - nodes_.size()]; client && client->host().alive()) {
        ++seen_.freezes;
        client->host().freeze_for(stage_.random.below(2) == 0 ? span : at_most_a_burial);
    }
}

awaitable<void> cluster_world::harm(instant until)
{
    for (;;) {
        auto const pause = between(500ms, 8s);
        co_await stage_.time.sleep_for(pause);
        if (stage_.time.now() >= until)
            co_return;
        harm_once();
    }
}

void cluster_world::suffer(duration span)
{
    stage_.net.faults = bad_network();
    stage_.database.faults = bad_database();
    asio::co_spawn(stage_.loop, harm(stage_.time.now() + span), asio::detached);
    pass(span);
    stage_.net.faults = {};
    stage_.database.faults = {};
    pass(longest_cut); // the last partition, freeze and restart
}

std::vector<cluster_world::ledger_row> cluster_world::firings(task_id task)
{
    std::vector<ledger_row> rows;
    stage_.database.inspect([&](soci::session& sql) {
        storage::statement ask(sql);
        ask.select(
            "id", "scheduled_at", "state",
            "COALESCE(started_at, (SELECT MIN(a.started_at) FROM attempt a WHERE a.execution_id = execution.id))",
            "ended_at", "attempt");
        ask(" FROM execution WHERE task_id = ", task, " AND run_key = 0 ORDER BY scheduled_at");
        ask.each([&](storage::row& cells) {
            ledger_row& found = rows.emplace_back();
            found.id = cells.number();
            found.scheduled_at = cells.number();
            found.state = cells.text();
            found.started_at = cells.maybe_number().value_or(0);
            found.ended_at = cells.maybe_number().value_or(0);
            found.attempt = cells.small();
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
        sql << "SELECT COUNT(*) FROM execution WHERE due_at IS NOT NULL", soci::into(count);
    });
    return count;
}

int cluster_world::buried_clients()
{
    int count = 0;
    stage_.database.inspect(
        [&](soci::session& sql) { sql << "SELECT COUNT(*) FROM client WHERE state = 'gone'", soci::into(count); });
    return count;
}

} // namespace baton::simulation
