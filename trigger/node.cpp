#include "trigger/node.hpp"

#include "libs/base/log.hpp"
#include "libs/base/process.hpp"
#include "libs/storage/dialect.hpp"
#include "trigger/api/api.hpp"
#include "trigger/delivery/collector.hpp"
#include "trigger/election/cluster_clock.hpp"
#include "trigger/election/election_trace.hpp"
#include "trigger/election/elector.hpp"
#include "trigger/election/term_log.hpp"
#include "trigger/master/master.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {

storage::node_record make_row(settings const& settings, world const& outside)
{
    storage::node_record row;
    row.incarnation = outside.incarnation;
    row.name = settings.name;
    row.address = settings.address;
    row.secret = outside.secret;
    row.role = "slave";
    row.version = BATON_VERSION;
    row.started_at = outside.time.utc();
    return row;
}

} // namespace

// The parts in the order in which they need each other.
struct node::parts {
    parts(asio::any_io_executor on, trigger::settings given, world outside)
        : loop(on),
          settings(std::move(given)),
          with(outside),
          clock(with.time),
          ids(with.time, with.random),
          past(settings.history, settings.name, with.incarnation),
          ledger(with.deciding, with.shared),
          terms({with.incarnation, settings.name}, with.deciding, with.shared, with.time, clock),
          members(settings.membership, make_row(settings, with), with.shared, with.time, [this] { return describe(); }),
          clients(settings.clients, with.incarnation, with.shared, with.time, loop),
          report(
              with.incarnation, with.http, with.time, loop, [this] { return find_master(); },
              [this](protocol::report_request const& what) { return take_report(what); }),
          stub(clients, with.http, settings.dispatcher.dispatch_limit,
               [this](std::int64_t epoch, std::string const&) { doubt(epoch); }),
          carry(settings.dispatcher, clients, stub, members, report, with.time, with.random, loop),
          results(settings.results, with.incarnation, ledger, report, with.time, loop),
          vote(settings.election, {with.incarnation, settings.address}, with.lease, with.time, with.random, loop),
          stopped(loop),
          tellers(loop)
    {
        wire();
    }

    void wire()
    {
        if (with.guard != nullptr && settings.guard.enabled)
            vote.guard_by(*with.guard, settings.guard);
        report.on_acknowledged(
            [this](protocol::attempt_key const& which, std::int64_t from) { carry.acknowledged(which, from); });
        carry.deliver_while([this] { return may_deliver(); });
        clients.on_change([this] { carry.client_changed(); });
        clients.on_gone([this](std::string const& instance) {
            carry.client_gone(instance);
            if (lead)
                lead->client_gone(instance);
        });
        clients.on_departure([this](std::string const& instance) { tell_of_departure(instance); });
        members.on_reading([this](storage::roster const& read, instant asked) {
            clients.note(read.clients_changed, read.now, asked);
            if (lead)
                lead->nodes_changed();
        });
        vote.on_row([this](lease::lease_row const& row, instant asked, instant answered) {
            if (with.shared.dialect().shared_clock())
                clock.sample(row.utc, asked, answered);
            if (row.owner)
                learn(row.epoch, "the lock row");
        });
        if (past.kept())
            keep_history();
    }

    void keep_history()
    {
        vote.on_event([this](election_event const& what) { past.verdict(what); });
        vote.on_trust([this](trust_event const& what) { past.trust(what); });
        carry.on_departure(
            [this](auto epoch, auto const& client, auto const& which) { past.deliver(epoch, client, which); });
    }

    departure_watcher watch_assignments()
    {
        if (!past.kept())
            return {};
        return [this](auto epoch, auto const& to, auto const& which) { past.assign(epoch, to, which); };
    }

    membership::status describe()
    {
        membership::status now;
        now.role = vote.state().at(with.time.now()) == standing::active ? "master" : "slave";
        now.load_permille =
            static_cast<int>(std::min<std::size_t>(1'000, carry.load() * 1'000 / settings.dispatcher.queue_limit));
        now.clients = static_cast<int>(clients.heard_here());
        return now;
    }

    // The highest epoch wins everywhere: what was assigned under an older one is void, and so is an older term.
    void learn(std::int64_t epoch, std::string const& who)
    {
        vote.superseded(epoch, who);
        carry.new_epoch(epoch);
    }

    // What a client says proves nothing, and an absurd epoch, once learned, could not be taken back: the lock row
    // decides.
    void doubt(std::int64_t epoch)
    {
        if (epoch > carry.epoch())
            vote.look();
    }

    bool admit(std::int64_t epoch, std::string const& who)
    {
        if (epoch < carry.epoch()) {
            past.refuse(epoch, who);
            return false;
        }
        learn(epoch, who);
        return true;
    }

    std::optional<master_address> find_master() const
    {
        if (lead && lead->epoch() == carry.epoch())
            return master_address{true, {}, {}};
        auto const& row = vote.last_row();
        if (!row || !row->owner)
            return std::nullopt;
        auto const* node = members.find(*row->owner);
        if (node == nullptr || node->incarnation == with.incarnation)
            return std::nullopt;
        return master_address{false, http::parse_url(node->address), node->secret};
    }

    std::optional<protocol::report_answer> take_report(protocol::report_request const& what)
    {
        if (!lead || lead->epoch() < std::max(what.epoch, carry.epoch())) // a term that is over but has not ended
            return std::nullopt;
        return lead->report(what);
    }

    void tell_of_departure(std::string const& instance)
    {
        for (auto const& node : members.all())
            if (node.incarnation != with.incarnation && members.alive(node.incarnation))
                tellers.spawn("telling of a departure", tell(node, instance));
    }

    awaitable<void> tell(storage::node_record node, std::string instance)
    {
        protocol::departed_message body;
        body.instance = std::move(instance);
        auto message = http::json_request(http::verb::post, protocol::path_departed, body);
        message.headers.set("Authorization", "Bearer " + node.secret);
        auto const to = http::parse_url(node.address);
        try {
            co_await with.http.send(to, std::move(message), 1s);
        } catch (unavailable const& reason) {
            log::old::debug("telling {} of a departure: {}", node.name, reason.what()); // it will read of it
        }
    }

    // What this node assigned to itself goes out under its own mastership only, or once it gave that back: whoever
    // replaces it without its doing need not wait for it.
    bool may_deliver() const
    {
        return carry.epoch() != led || vote.released() == led || vote.state().active(led, with.time.now());
    }

    // A node that cannot write that it lives cannot vouch for its clients: they are to find another before they are
    // buried with it.
    awaitable<bool> hear(protocol::heartbeat_request request)
    {
        bool const known = co_await clients.beat(std::move(request));
        if (known && !members.valid())
            throw unavailable("this node could not renew its membership");
        co_return known;
    }

    // One term of mastership.
    awaitable<void> rule(std::int64_t epoch)
    {
        terms.won(vote.began_by());
        learn(epoch, "this node");
        led = epoch;
        term const term{
            {settings.election.name_space, epoch}, vote.state(), with.time, clock, vote.began_by().replaced};
        master::surroundings around{
            .term = term,
            .ledger = ledger,
            .shared = with.shared,
            .clients = clients,
            .nodes = members,
            .stub = stub,
            .here = carry,
            .http = with.http,
            .ids = ids,
            .loop = loop,
            .heard = [this](std::int64_t higher, std::string const& who) { learn(higher, who); },
            .terms = terms,
            .leaving = watch_assignments(),
        };
        lead.emplace(settings, std::move(around));
        std::exception_ptr failure;
        try {
            co_await lead->run();
        } catch (...) {
            failure = std::current_exception();
        }
        lead.reset();
        // Beside: the lease need not wait for it, nor the successor for the lease.
        tellers.spawn(
            "the history of terms",
            terms.write_end(term.fence, std::min(with.time.now(), vote.state().deadline()), why_over(failure)));
        if (failure)
            std::rethrow_exception(failure);
    }

    std::string why_over(std::exception_ptr const& failure) const
    {
        if (!failure)
            return "a newer master has raised the fence";
        if (auto const text = failure_text(failure))
            return "its duty failed: " + *text;
        auto const told = vote.why_ended();
        return told.empty() ? "the node ended" : told;
    }

    awaitable<void> vote_and_rule()
    {
        auto const duty = [this](std::int64_t epoch) { return rule(epoch); };
        co_await vote.run(duty);
    }

    awaitable<void> drain()
    {
        co_await stopped.wait();
        stopping = true;
        log::old::info("stopping: {} deliveries under way", carry.load());
        auto const until = with.time.now() + settings.drain;
        try {
            co_await members.drain(); // nobody assigns to this node any more
        } catch (unavailable const& reason) {
            log::old::warn("draining without the database: {}", reason.what());
        }
        vote.stop(); // another node may lead while this one delivers what it has
        while (carry.load() != 0 && with.time.now() < until)
            co_await with.time.sleep_for(10ms);
        while (voting && with.time.now() < until + settings.election.grace)
            co_await with.time.sleep_for(5ms);
        try {
            co_await members.leave();
        } catch (unavailable const& reason) {
            log::old::warn("leaving without the database: {}", reason.what());
        }
    }

    awaitable<void> vote_until_stopped()
    {
        co_await vote_and_rule();
        voting = false;
        waker never(loop);
        co_await never.wait(); // the other parts go on until the drain is done
    }

    awaitable<void> run()
    {
        if (with.last_resort != nullptr)
            vote.use(*with.last_resort);
        co_await tellers.around(work());
        log::old::info("stopped");
    }

    // A part that fails takes the node with it: one without its results, say, would look alive and lose time.
    awaitable<void> work()
    {
        co_await (supervised("the drain", drain()) || supervised("the election", vote_until_stopped()) ||
                  supervised("the membership", members.run()) || supervised("the list of clients", clients.run()) ||
                  supervised("reports to the master", report.run()) || supervised("the dispatch", carry.run()) ||
                  supervised("the results", results.run()));
        if (!stopping)
            throw std::runtime_error("a part of this node has failed");
    }

    nlohmann::json status()
    {
        auto const standing_now = vote.state().at(with.time.now());
        nlohmann::json out{{"node", settings.name},
                           {"incarnation", with.incarnation},
                           {"version", BATON_VERSION},
                           {"role", standing_now == standing::active ? "master" : "slave"},
                           {"standing", to_string(standing_now)},
                           {"epoch", carry.epoch()},
                           {"clients", clients.heard_here()},
                           {"carrying", carry.load()},
                           {"open", lead ? lead->open() : 0},
                           {"skew_ms", clock.skew() / 1ms}};
        return out;
    }

    awaitable<bool> ready()
    {
        if (stopping)
            co_return false;
        co_await ledger.now(); // throws unavailable: 503 as well
        co_return true;
    }

    http::handler make_routes();

    asio::any_io_executor loop;
    trigger::settings settings;
    world with;
    cluster_clock clock;
    id_generator ids;
    election_trace past;
    storage::ledger ledger;
    term_log terms;
    membership members;
    registry clients;
    reporter report;
    client_stub stub;
    carrier carry;
    collector results;
    elector vote;
    std::optional<master> lead; // while this node leads
    std::int64_t led = 0;       // the epoch of its present or last term
    waker stopped;
    bool stopping = false;
    bool voting = true;
    task_group tellers;
    http::router endpoints;
};

http::handler node::parts::make_routes()
{
    client_calls for_clients;
    for_clients.join = [this](protocol::register_request request) { return clients.join(std::move(request)); };
    for_clients.beat = [this](protocol::heartbeat_request request) { return hear(std::move(request)); };
    for_clients.leave = [this](std::string instance) { return clients.leave(std::move(instance)); };
    for_clients.results = [this](protocol::results_request request) { return results.take(std::move(request)); };
    for_clients.epoch = [this] { return carry.epoch(); };
    for_clients.heartbeat = settings.clients.heartbeat;
    for_clients.ttl = settings.clients.ttl();
    add_client_endpoints(endpoints, settings.token, std::move(for_clients));

    node_calls for_nodes;
    for_nodes.admit = [this](std::int64_t epoch, std::string const& who) { return admit(epoch, who); };
    for_nodes.epoch = [this] { return carry.epoch(); };
    for_nodes.assign = [this](protocol::assign_request message) {
        past.take(message.epoch, message.master, message.executions.size());
        return carry.accept(std::move(message));
    };
    for_nodes.withdraw = [this](std::vector<execution_id> ids_) { return carry.withdraw(ids_); };
    for_nodes.report = [this](protocol::report_request const& what) { return take_report(what); };
    for_nodes.signal = [this] {
        if (lead)
            lead->signal();
        return lead.has_value();
    };
    for_nodes.departed = [this](std::string const& instance) { clients.departed(instance); };
    add_node_endpoints(endpoints, with.secret, std::move(for_nodes));

    health_calls for_health;
    for_health.status = [this] { return status(); };
    for_health.ready = [this] { return ready(); };
    add_health_endpoints(endpoints, std::move(for_health));
    return [this](http::request const& request) { return endpoints.handle(request); };
}

node::node(asio::any_io_executor loop, settings settings, world outside)
{
    settings.validate();
    parts_ = std::make_unique<parts>(std::move(loop), std::move(settings), std::move(outside));
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
    parts_->stopped.wake();
}

bool node::leading() const
{
    return parts_->vote.state().at(parts_->with.time.now()) == standing::active;
}

std::int64_t node::epoch() const
{
    return parts_->carry.epoch();
}

} // namespace baton::trigger
