#include "trigger/node.hpp"

#include "libs/base/log.hpp"
#include "libs/storage/dialect.hpp"
#include "trigger/api/api.hpp"
#include "trigger/clean_stop.hpp"
#include "trigger/clients/departure_notifier.hpp"
#include "trigger/term_runner.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {

storage::node_record make_row(settings const& settings, world const& world)
{
    storage::node_record row;
    row.incarnation = world.incarnation;
    row.name = settings.name;
    row.address = settings.address;
    row.secret = world.secret;
    row.role = "slave";
    row.version = BATON_VERSION;
    row.started_at = world.time.utc();
    return row;
}

master_settings settings_of_master(settings const& settings)
{
    return {settings.planner, settings.dispatcher, settings.clients, settings.retention};
}

} // namespace

// The composition of a node. The members stand in the order in which they use each other; `connect` adds the events
// that a part sends to later parts.
struct node::parts {
    parts(asio::any_io_executor executor, trigger::settings given, trigger::world outside);

    void connect();
    http::handler make_routes();
    awaitable<void> run();
    awaitable<void> run_parts();
    awaitable<void> run_election();
    awaitable<bool> ready();

    asio::any_io_executor loop;
    trigger::settings settings;
    trigger::world world;
    id_generator ids;
    storage::ledger ledger;
    task_group background; // coroutines that no part waits for

    cluster_clock clock;
    elector election;
    election_trace trace;
    known_epoch epochs;
    term_log log;

    membership nodes;
    registry clients;
    client_stub stub;
    departure_notifier departures;

    master_link link;
    known_attempts known;
    reporter report;
    carrier deliveries;
    collector results;

    term_runner terms;
    clean_stop stopping;
    node_status status;
    http::router endpoints;
};

node::parts::parts(asio::any_io_executor executor, trigger::settings given, trigger::world outside)
    : loop(std::move(executor)),
      settings(std::move(given)),
      world(std::move(outside)),
      ids(world.time, world.random),
      ledger(world.deciding, world.shared),
      background(loop),
      clock(world.time),
      election(settings.election, {world.incarnation, settings.address}, {world.lease, world.time, world.random}, loop),
      trace(settings.election_trace, settings.name, world.incarnation),
      epochs(election, trace),
      log({world.incarnation, settings.name}, world.deciding, world.shared, world.time, clock),
      nodes(settings.membership, make_row(settings, world), world.shared, world.time, [this] { return status.row(); }),
      clients(settings.clients, world.incarnation, world.shared, world.time, loop),
      stub(clients, world.http, settings.dispatcher.dispatch_limit, epochs),
      departures(nodes, world.http, background),
      link({election, epochs, nodes, world.http, world.time}),
      report(world.incarnation, link, known, world.time, loop),
      deliveries(settings.dispatcher,
                 {clients, stub, nodes, link, epochs, known, report, trace, world.time, world.random}, loop),
      results(settings.results, world.incarnation, {ledger, report, world.time}, loop),
      terms(settings.election.name_space, settings_of_master(settings), {election, link, clock, world.time, background},
            {{clients, nodes, stub, deliveries, world.http, epochs, trace}, ledger, world.shared, ids, log}, loop),
      stopping(settings.drain, settings.election.grace, {nodes, election, deliveries, world.time}, loop),
      status(settings.dispatcher.queue_limit, {election, epochs, clients, deliveries, link, nodes, clock, world.time})
{
    connect();
}

void node::parts::connect()
{
    if (world.guard != nullptr && settings.guard.enabled)
        election.guard_by(*world.guard, settings.guard);
    if (world.last_resort != nullptr)
        election.use(*world.last_resort);
    trace.follow(election);
    election.on_row([this](lease::lease_row const& row, instant asked, instant answered) {
        if (world.shared.dialect().shared_clock())
            clock.sample(row.utc, asked, answered);
        if (row.owner)
            epochs.learn(row.epoch, "the lock row");
    });
    nodes.on_reading([this](storage::roster const& roster, instant asked) {
        clients.note(roster.clients_changed, roster.now, asked);
        if (auto* master = link.here())
            master->nodes_changed();
    });
    clients.on_change([this] { deliveries.client_changed(); });
    clients.on_gone([this](std::string const& instance) {
        deliveries.client_gone(instance);
        if (auto* master = link.here())
            master->client_gone(instance);
    });
    clients.on_departure([this](std::string const& instance) { departures.notify(instance); });
}

http::handler node::parts::make_routes()
{
    add_client_endpoints(endpoints, settings.token, {settings.clients, clients, nodes, results, epochs});
    add_node_endpoints(endpoints, world.secret, {epochs, deliveries, link, clients, trace});
    add_health_endpoints(endpoints, status, [this] { return ready(); });
    return [this](http::request const& request) { return endpoints.handle(request); };
}

awaitable<bool> node::parts::ready()
{
    if (stopping.stopping())
        co_return false;
    co_await ledger.now(); // throws unavailable if the database does not answer
    co_return true;
}

awaitable<void> node::parts::run()
{
    co_await background.around(run_parts());
    log::info("node", "stopped");
}

// The failure of a part ends the node. A node without its collector, for example, would look alive and lose time.
awaitable<void> node::parts::run_parts()
{
    co_await (supervised("the clean stop", stopping.run()) || supervised("the election", run_election()) ||
              supervised("the membership", nodes.run()) || supervised("the list of clients", clients.run()) ||
              supervised("the reports to the master", report.run()) ||
              supervised("the delivery to clients", deliveries.run()) ||
              supervised("the commits of results", results.run()));
    if (!stopping.stopping())
        throw std::runtime_error("a part of this node has failed");
}

awaitable<void> node::parts::run_election()
{
    auto const duty = [this](std::int64_t epoch) { return terms.run(epoch); };
    co_await election.run(duty);
    stopping.election_ended();
    waker never(loop);
    co_await never.wait(); // the other parts go on until the clean stop is done
}

node::node(asio::any_io_executor loop, settings settings, world world)
{
    settings.validate();
    parts_ = std::make_unique<parts>(std::move(loop), std::move(settings), std::move(world));
}

node::~node() = default;

http::handler node::routes()
{
    return parts_->make_routes();
}

awaitable<void> node::run()
{
    co_await parts_->run();
}

void node::stop()
{
    parts_->stopping.request();
}

bool node::leading() const
{
    return parts_->election.state().at(parts_->world.time.now()) == standing::active;
}

std::int64_t node::epoch() const
{
    return parts_->epochs.value();
}

} // namespace baton::trigger
