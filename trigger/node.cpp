#include "trigger/node.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"
#include "libs/storage/dialect.hpp"
#include "trigger/api/api.hpp"
#include "trigger/api/node_status.hpp"
#include "trigger/clean_stop.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/clients/departure_notifier.hpp"
#include "trigger/clients/fetch_line.hpp"
#include "trigger/clients/push_line.hpp"
#include "trigger/election/followed_master.hpp"
#include "trigger/membership/heartbeat_standin.hpp"
#include "trigger/term_runner.hpp"

#include <atomic>

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr duration between_stamps = 100ms;

storage::node_record make_row(settings const& settings, world const& world)
{
    storage::node_record row;
    row.incarnation = world.incarnation;
    row.name = settings.name;
    row.address = settings.address;
    row.secret = world.secret;
    row.role = "slave";
    row.version = BATON_VERSION;
    row.revision = protocol::wire_revision;
    row.started_at = world.time.utc();
    return row;
}

master_settings settings_of_master(settings const& settings)
{
    return {settings.planner,   settings.dispatcher, settings.clients,
            settings.retention, settings.zones,      room_for_acts(settings.election, settings.guard)};
}

} // namespace

// The composition of a node. The members stand in the order in which they use each other; `connect` adds the events
// that a part sends to later parts.
struct node::parts {
    parts(loop_ref working, trigger::settings given, trigger::world outside);

    void connect();
    http::handler make_routes();
    awaitable<void> run();
    awaitable<void> run_parts();
    awaitable<void> join_and_work();
    awaitable<void> run_election();
    awaitable<void> on_election(std::function<awaitable<void>()> part); // runs it on the election's loop
    awaitable<void> run_standin();
    awaitable<void> stamp_progress();
    awaitable<bool> ready();

    loop_ref here;
    asio::any_io_executor loop;
    std::atomic<std::uint64_t> progress{0}; // counted up while the working loop runs
    trigger::settings settings;
    trigger::world world;
    id_generator ids;
    storage::ledger ledger;
    task_group background; // coroutines that no part waits for

    cluster_clock clock;
    elector votes; // on the election's loop
    election_proxy election;
    election_trace trace;
    followed_master followed;
    known_epoch epochs;
    stamps issued; // tickets and receipts
    term_log log;

    membership nodes;
    heartbeat_standin standin; // on the election's loop
    registry clients;
    push_line pushes;
    fetch_line fetches;
    client_stub stub;
    departure_notifier departures;
    home_watches watches;

    master_link link;
    known_attempts known;
    lanes home; // of the clients that are registered with this node
    reporter report;
    reachability reach;
    node_right right;
    dispatcher deliveries;
    client_questions questions;
    collector results;

    term_runner terms;
    clean_stop stopping;
    node_status status;
    http::router endpoints;
};

node::parts::parts(loop_ref working, trigger::settings given, trigger::world outside)
    : here(working),
      loop(working.executor),
      settings(std::move(given)),
      world(std::move(outside)),
      ids(world.time, world.random),
      ledger(world.deciding, world.shared, world.name_space),
      background(loop),
      clock(world.time),
      votes(settings.election, {world.incarnation, settings.address},
            {world.lease, world.election_time, world.election_random}, world.electing.executor),
      election(votes, world.electing, working),
      trace(settings.election_trace, settings.name, world.incarnation),
      followed(world.incarnation),
      epochs(election, trace, world.time, world.name_space),
      issued(world.secret),
      log({world.incarnation, settings.name}, world.deciding, world.shared, world.time, clock),
      nodes(settings.membership, make_row(settings, world), world.members, world.time, [this] { return status.row(); }),
      standin(settings.membership, world.beating, world.election_time, nodes.period(),
              [this] { return !votes.stuck(); }),
      clients(settings.clients, world.incarnation, world.shared, world.time, loop),
      pushes(world.http),
      fetches(world.incarnation, world.time, loop),
      stub(clients, {pushes, fetches}, settings.dispatcher.dispatch_limit, epochs),
      departures(nodes, world.http, background),
      watches(nodes, world.time, loop),
      link({election, epochs, nodes, world.http, world.time}),
      home({.group = settings.dispatcher.group, .first_pause = settings.dispatcher.retry_pause}, world.random),
      report(world.incarnation,
             {[this](protocol::report_request const& one) { return link.send(one); }, known, home, world.time}, loop),
      reach(world.shared, {nodes, watches, world.time}, loop),
      right(nodes, epochs, link),
      deliveries(settings.dispatcher, settings.clients.ttl(),
                 {clients, stub, right, reach, home, known, report, issued, trace, world.time}, loop),
      questions(
          {home, stub, world.time, background}, loop,
          {[this](std::string const& instance, std::string const& why) { deliveries.question_failed(instance, why); },
           [this](std::string const& instance) { deliveries.question_waits(instance); },
           [this](std::string const& instance) { deliveries.question_answered(instance); }}),
      results(settings.results, world.incarnation, {ledger, report, world.time}, loop),
      terms(settings.election.name_space, settings_of_master(settings),
            {election, link, epochs, clock, world.time, background},
            {{nodes, questions, deliveries, world.http, epochs, trace}, ledger, world.shared, world.signals, ids, log},
            loop),
      stopping(settings.drain, settings.election.grace, {nodes, clients, election, deliveries, world.time}, loop),
      status(settings.dispatcher.queue_limit,
             {election, epochs, clients, deliveries, link, nodes, clock, world.time, world.loops})
{
    connect();
}

void node::parts::connect()
{
    if (world.guard != nullptr && settings.guard.enabled)
        votes.guard_by(*world.guard, settings.guard);
    if (world.last_resort != nullptr)
        votes.use(*world.last_resort);
    votes.require_progress([this] { return progress.load(std::memory_order_relaxed); });
    trace.follow(votes);
    election.on_row([this](lease::lease_row const& row, instant asked, instant answered) {
        if (world.shared.dialect().shared_clock())
            clock.sample(row.utc, asked, answered);
        epochs.read_row({row.id, row.epoch}, row.owner.has_value());
        if (followed.is_new(row))
            log::info("election", "this node follows the master",
                      {{"master", *row.owner}, {"address", row.owner_addr}, {"epoch", row.epoch}});
    });
    epochs.on_raise([this](std::int64_t) { deliveries.new_epoch(); });
    nodes.on_beat([this](storage::node_record const& row, instant asked) {
        world.electing.post([this, row, asked] { standin.beaten(row, asked); });
    });
    nodes.before_leaving([this] { return on_election([this] { return standin.end(); }); });
    nodes.on_reading([this](storage::roster const& roster, instant asked) {
        clients.note(roster.clients_changed, roster.now, asked);
        if (auto* master = link.here())
            master->roster_read(roster, asked);
    });
    clients.on_change([this](std::string const& instance) {
        auto const* client = clients.find(instance);
        if (client == nullptr || client->row.node != world.incarnation)
            fetches.close(instance);
        deliveries.client_changed(instance);
    });
    fetches.on_return([this](std::string const& instance) { deliveries.client_returned(instance); });
    clients.on_gone([this](std::string const& instance) {
        fetches.close(instance);
        deliveries.client_gone(instance);
        if (auto* master = link.here())
            master->client_gone(instance);
    });
    clients.on_departure([this](std::string const& instance, std::string const& heard_at) {
        departures.notify(instance, heard_at);
        if (auto* master = link.here())
            master->client_gone(instance);
    });
    clients.on_adoption([this](std::string const& instance, std::string const& before) {
        departures.notify_moved(instance, before, clients.find(instance)->row.generation);
    });
}

http::handler node::parts::make_routes()
{
    add_client_endpoints(
        endpoints, settings.token,
        {settings.clients, clients, nodes, results, deliveries, reach, watches, fetches, epochs, issued});
    add_node_endpoints(endpoints, world.secret, {epochs, deliveries, questions, link, clients, trace});
    add_health_endpoints(
        endpoints, settings.token, [this] { return status.document(); }, [this] { return ready(); });
    return [this](http::request const& request) { return endpoints.handle(request); };
}

awaitable<bool> node::parts::ready()
{
    if (stopping.stopping() || !stopping.has_joined())
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
    co_await (supervised("the clean stop", stopping.run()) || supervised("the membership", join_and_work()));
    if (!stopping.stopping())
        throw std::runtime_error("a part of this node has failed");
}

awaitable<void> node::parts::join_and_work()
{
    co_await nodes.await_one_release();
    stopping.joined();
    co_await (
        supervised("the election", run_election()) || supervised("the stamp of progress", stamp_progress()) ||
        supervised("the roster of nodes", nodes.run()) || supervised("the stand-in of the heartbeat", run_standin()) ||
        supervised("the list of clients", clients.run()) || supervised("the rows of clients", clients.write_rows()) ||
        supervised("the homes of clients", watches.run()) || supervised("the reports to the master", report.run()) ||
        supervised("the delivery to clients", deliveries.run()) ||
        supervised("the rows of which clients can be reached", reach.run()) ||
        supervised("the commits of results", results.run()));
}

awaitable<void> node::parts::run_standin()
{
    std::function<awaitable<void>()> const part = [this] { return standin.run(); };
    co_await on_election(part);
}

awaitable<void> node::parts::on_election(std::function<awaitable<void>()> part)
{
    co_await run_on(world.electing, here, std::move(part));
}

// For the election, which gives up a term if this loop stands still.
awaitable<void> node::parts::stamp_progress()
{
    for (;;) {
        progress.fetch_add(1, std::memory_order_relaxed);
        co_await world.time.sleep_for(between_stamps);
    }
}

awaitable<void> node::parts::run_election()
{
    auto const duty = [this](std::int64_t epoch) { return terms.run(epoch); };
    co_await election.run(duty);
    stopping.election_ended();
    waker never(loop);
    co_await never.wait(); // the other parts go on until the clean stop is done
}

node::node(loop_ref working, settings settings, world world)
{
    require_valid(settings);
    parts_ = std::make_unique<parts>(std::move(working), std::move(settings), std::move(world));
}

node::~node() = default;

void node::share_receipts(std::string const& secret)
{
    parts_->issued.share(secret);
}

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

std::size_t node::clients() const
{
    return parts_->clients.size();
}

std::int64_t node::epoch() const
{
    return parts_->epochs.value();
}

} // namespace baton::trigger
