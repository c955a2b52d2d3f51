#include "trigger/node_parts.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"
#include "libs/storage/dialect.hpp"

namespace baton::trigger {

// How the parts are put together.

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
      stub(clients, {pushes, fetches}, {settings.dispatcher.dispatch_limit, settings.clients.heartbeat}, epochs),
      departures(nodes, world.http, background),
      watches(nodes, world.time, loop),
      link({election, epochs, nodes, world.http, world.time}),
      home({.group = settings.dispatcher.group,
            .first_pause = settings.dispatcher.retry_pause,
            .doubt_after = settings.clients.heartbeat},
           world.random),
      report(world.incarnation,
             {[this](protocol::report_request const& one) { return link.send(one); }, known, home, world.time}, loop),
      reach(world.shared, {nodes, watches, world.time}, loop),
      contact({nodes, watches, [this] { return link.here() != nullptr; },
               [this] { background.spawn("the row of this node", nodes.show()); }, world.time}),
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
      stopping(settings.drain, settings.election.grace, {nodes, clients, election, deliveries, link, world.time}, loop),
      status(settings.dispatcher.queue_limit,
             {election, epochs, clients, deliveries, link, nodes, contact, clock, world.time, world.loops})
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
        if (world.shared.shared_clock())
            clock.sample(row.utc, asked, answered);
        epochs.read_row({row.id, row.epoch}, row.owner.has_value());
        contact.read_row(row, asked);
        if (followed.is_new(row))
            log::info("election", "this node follows the master",
                      {{"master", *row.owner}, {"address", row.owner_addr}, {"epoch", row.epoch}});
    });
    epochs.on_raise([this](std::int64_t) { deliveries.new_epoch(); });
    link.on_taken([this](std::string const& master) { contact.took_report(master); });
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
    fetches.on_waiting([this](std::string const& instance) {
        protocol::watch_answer told;
        told.fetch = true;
        watches.ask(instance, std::move(told));
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
    add_client_endpoints(endpoints, settings.token,
                         {settings.clients, clients, nodes, results, deliveries, reach, watches, fetches, contact,
                          epochs, issued, world.time});
    add_node_endpoints(endpoints, world.secret,
                       {epochs, deliveries, questions, link, clients, trace, world.time, clock});
    add_health_endpoints(
        endpoints, settings.token, [this] { return status.document(); }, [this] { return ready(); });
    return [this](http::request const& request) { return endpoints.handle(request); };
}

} // namespace baton::trigger
