#include "trigger/clients/departure_notifier.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/node_wire.hpp"

namespace baton::trigger {

departure_notifier::departure_notifier(membership const& nodes, http::client& http, task_group& background)
    : nodes_(nodes), http_(http), background_(background)
{}

void departure_notifier::notify(std::string const& instance)
{
    for (auto const& node : nodes_.all())
        if (node.incarnation != nodes_.self().incarnation && nodes_.alive(node.incarnation))
            background_.spawn("the notice of a client's departure", send(node, instance));
}

awaitable<void> departure_notifier::send(storage::node_record node, std::string instance)
{
    protocol::departed_message body;
    body.instance = instance;
    auto message = http::json_request(http::verb::post, protocol::path_departed, body);
    message.headers.set("Authorization", "Bearer " + node.secret);
    auto const to = http::parse_url(node.address);
    try {
        co_await http_.send(to, std::move(message), 1s);
    } catch (unavailable const& failure) {
        log::debug("clients", "telling a node of a departure failed, the node will read it from the table",
                   {log::reason(failure.what()), {"node", node.name}, {"client", instance}});
    }
}

} // namespace baton::trigger
