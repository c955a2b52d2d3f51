#include "tests/simulation/limits_master.hpp"

#include "libs/http/http.hpp"

namespace limits_sim {

std::unique_ptr<trigger::membership> join_nodes(sim::host& host, storage::database& database, std::string const& name)
{
    storage::node_record row;
    row.incarnation = row.name = name;
    row.address = "http://" + name + ":7800";
    row.secret = "secret of " + name;
    row.started_at = host.time().utc();
    auto const idle = [] { return trigger::membership::status{"slave", 0, 0}; };
    auto view = std::make_unique<trigger::membership>(trigger::membership_settings{}, row, database, host.time(), idle);
    host.spawn(view->run());
    return view;
}

played_master::played_master(sim::stage& on, std::string called)
    : stage(on),
      name(std::move(called)),
      host(stage.add_host(name)),
      shared(stage.database.connect(host, {.sessions = 2, .read_limit = 1s})),
      signals(stage.database.connect(host, {.sessions = 1, .read_limit = 1s})),
      ledger(*shared, *shared),
      clock(host.time()),
      ids(host.time(), host.random()),
      http(stage.net.client_for(host)),
      log({name, name}, *shared, *shared, host.time(), clock),
      trace("", name, name),
      nodes(join_nodes(host, *shared, name))
{
    auto const answer = [](http::request const& message) -> awaitable<http::response> {
        auto const term = http::parse_json(message.body).get<protocol::epoch_message>().term;
        co_return http::json_response(200, protocol::announce_answer{term, {}});
    };
    stage.net.attach(host, http::parse_url("http://" + name + ":7800"), answer);
}

void played_master::begin(std::int64_t epoch, std::string replaced)
{
    ship.extend(epoch, host.time().now(), 240h, 0s);
    of.emplace(trigger::term{{"master", epoch}, ship, host.time(), clock, std::move(replaced)});
    trigger::master::dependencies parts{
        {*nodes, questions, here, *http, epochs, trace}, ledger, *shared, *signals, ids, log};
    lead = std::make_unique<trigger::master>(trigger::master_settings{}, *of, parts, stage.loop.get_executor());
    host.spawn(lead->run());
}

} // namespace limits_sim
